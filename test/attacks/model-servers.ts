/**
 * Model servers that an attack cannot slow down, since they read no bodies, in a process of their own:
 * `node test/attacks/model-servers.ts 127.0.3.1:8000 127.0.3.2:8000`. STAND-IN: each answers a request with the number
 * of events in its header `x-events`, one every `x-interval` milliseconds. Without the header it sends a short answer.
 * `PUT /metrics` replaces a server's metrics page, as a hostile server could. Prints `listening`.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { metricsPage } from "../../testing/model-server/metrics-page.ts";
import { Simulation } from "../../testing/model-server/simulation.ts";

const idle = new Simulation();
const honestPage = Buffer.from(metricsPage("real", idle.state, idle.options, { full: true }));
const short = JSON.stringify({
  ...{ id: "cmpl-1", object: "text_completion", model: "real" },
  choices: [{ index: 0, text: " token", finish_reason: "length" }],
  usage: { prompt_tokens: 8, completion_tokens: 1, total_tokens: 9 },
});
const event = `data: ${JSON.stringify({
  ...{ id: "cmpl-1", object: "text_completion", model: "real" },
  choices: [{ index: 0, text: " token" }],
})}\n\n`;

/** If the interval is 0, sends as fast as the client reads. */
async function stream(response: ServerResponse, events: number, interval: number) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (let at = 0; at < events && !response.destroyed; at += 1) {
    const taken = response.write(event);
    if (interval > 0) await new Promise((resolve) => setTimeout(resolve, interval));
    else if (!taken)
      await new Promise((resolve) => response.once("drain", resolve).once("close", resolve));
  }
  response.end("data: [DONE]\n\n");
}

function listener() {
  let page = honestPage;
  return async (request: IncomingMessage, response: ServerResponse) => {
    if (request.url === "/metrics" && request.method === "PUT") {
      page = await buffer(request);
      if (page.length === 0) page = honestPage;
      response.end();
    } else if (request.url === "/metrics") {
      response.setHeader("content-type", "text/plain; version=0.0.4");
      response.end(page);
    } else {
      const { "x-events": events, "x-interval": interval } = request.headers;
      // An answer begins when the request has ended, as a model's does.
      request.resume().on("end", () => {
        if (events !== undefined) void stream(response, Number(events), Number(interval ?? 0));
        else response.setHeader("content-type", "application/json").end(short);
      });
    }
  };
}

for (const address of process.argv.slice(2)) {
  const [host, port] = address.split(":");
  const server = createServer({ maxHeaderSize: 2 ** 17 }, listener());
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(Number(port), host, 4_096, resolve));
}
console.log("listening");
