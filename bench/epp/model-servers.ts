/**
 * Model servers that cost as little as can be, in a process of their own:
 * `node bench/epp/model-servers.ts 127.0.1.1:8000 127.0.1.2:8000 --hang 1`.
 * Each has a metrics page of vLLM's size and gives every request the same short answer. Prints `listening`.
 */
import { createServer, type RequestListener } from "node:http";
import { parseArgs } from "node:util";
import { metricsPage } from "../../testing/model-server/metrics-page.ts";
import { Simulation } from "../../testing/model-server/simulation.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** How many of them, the first ones, never answer a scrape. */
    hang: { type: "string", default: "0" },
  },
});

const idle = new Simulation();
const page = metricsPage("base-model", idle.state, idle.options, { full: true });
const answer = JSON.stringify({
  id: "cmpl-1",
  object: "text_completion",
  model: "base-model",
  choices: [{ index: 0, text: " token".repeat(30), finish_reason: "length" }],
  usage: { prompt_tokens: 250, completion_tokens: 30, total_tokens: 280 },
});

const listener =
  (hangs: boolean): RequestListener =>
  (request, response) => {
    if (request.url === "/metrics") {
      if (hangs) return;
      response.setHeader("content-type", "text/plain; version=0.0.4");
      response.end(page);
      return;
    }
    request.resume().on("end", () => {
      response.setHeader("content-type", "application/json");
      response.end(answer);
    });
  };

for (const [at, address] of positionals.entries()) {
  const [host, port] = address.split(":");
  const server = createServer(listener(at < Number(values.hang)));
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(Number(port), host, 4_096, resolve));
}
console.log("listening");
