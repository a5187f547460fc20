/**
 * Load on a gateway from HTTP clients: `node testing/ext-proc/http-driver.ts --target 127.0.0.1:8080`. Prints
 * `measuring` when the warm-up is over, then a LoadReport as JSON; latencies are of whole responses.
 */
import { parseArgs } from "node:util";
import { runLoad, type StartRequest } from "./arrivals.ts";
import { completionBody } from "./conversation.ts";
import { HttpConnection, postRequest } from "./http-connection.ts";
import { Tally } from "./load-report.ts";

const { values } = parseArgs({
  options: {
    target: { type: "string", default: "127.0.0.1:8080" },
    path: { type: "string", default: "/v1/completions" },
    "in-flight": { type: "string", default: "32" },
    /** Requests a second; replaces --in-flight. */
    rate: { type: "string" },
    seconds: { type: "string", default: "3" },
    "warm-up": { type: "string", default: "1" },
    requests: { type: "string" },
    "prompt-bytes": { type: "string", default: "1024" },
    prompts: { type: "string", default: "64" },
    model: { type: "string", default: "base-model" },
  },
});

const [host = "", port = ""] = values.target.split(":");
const requests = Array.from({ length: Number(values.prompts) }, (_, prompt) =>
  postRequest(
    values.target,
    values.path,
    completionBody(
      { promptBytes: Number(values["prompt-bytes"]), model: values.model, responseChunks: 0 },
      prompt,
    ),
  ),
);
const tally = new Tally();
const idle: HttpConnection[] = [];

const startRequest: StartRequest = (index, due, ended) => {
  const connection = idle.pop() ?? new HttpConnection(host, Number(port));
  connection.send(requests[index % requests.length] as Buffer, ({ status, failure }) => {
    tally.latency(performance.now() - due);
    if (connection.usable) idle.push(connection);
    ended({ failure: failure ?? (status === 200 ? undefined : `status ${status}`) });
  });
};

const report = await runLoad(
  {
    inFlight: Number(values["in-flight"]),
    rate: values.rate === undefined ? undefined : Number(values.rate),
    seconds: Number(values.seconds),
    warmUpSeconds: Number(values["warm-up"]),
    requests: values.requests === undefined ? undefined : Number(values.requests),
  },
  tally,
  startRequest,
  () => console.log("measuring"),
);
console.log(JSON.stringify(report));
process.exit(0);
