import { createServer, type IncomingMessage, type Server } from "node:http";
import { kvEventPorts } from "../../../sdk/engines/containers/kv-events.ts";
import { EngineEvents } from "../../../testing/kv-events/engine-events.ts";
import { tokensOf } from "../../../testing/kv-events/tokens.ts";
import { ZmtpPublisher } from "../../../testing/kv-events/zmtp-publisher.ts";
import { metricsPage } from "../../../testing/model-server/metrics-page.ts";
import type { Emission } from "../../../testing/model-server/simulation.ts";
import type { Pod } from "../pod.ts";

interface Publishing {
  readonly publisher: ZmtpPublisher;
  readonly events: EngineEvents;
}

/**
 * The engines of pods in real time: each computes by the clock, serves its metrics page and its tokenizer at the pod's
 * address, and publishes its KV events.
 */
export class LiveEngines {
  readonly #started = performance.now();
  readonly #emitted: (pod: Pod, emission: Emission) => void;
  readonly #timers = new Map<Pod, NodeJS.Timeout>();
  readonly #servers = new Map<Pod, Server>();
  readonly #publishing = new Map<Pod, Publishing>();

  constructor(emitted: (pod: Pod, emission: Emission) => void) {
    this.#emitted = emitted;
  }

  /** Milliseconds since the start. */
  get now(): number {
    return performance.now() - this.#started;
  }

  async serve(pod: Pod): Promise<void> {
    const { simulation, endpoint } = pod;
    const server = createServer(async (request, response) => {
      if (request.url?.endsWith("/render")) {
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify(await rendered(request)));
        return;
      }
      this.step(pod);
      response.setHeader("content-type", "text/plain; version=0.0.4");
      response.end(metricsPage("base", simulation.metrics, simulation.options));
    });
    server.keepAliveTimeout = 60_000;
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject).listen(endpoint.port, endpoint.ip, resolve);
    });
    this.#servers.set(pod, server);
    const publisher = new ZmtpPublisher(`kv@${endpoint.address}@base`);
    await publisher.listen(endpoint.ip, kvEventPorts.events);
    const events = new EngineEvents(simulation.options.blockTokens);
    simulation.listen(events);
    this.#publishing.set(pod, { publisher, events });
  }

  /** Emits the results of the pod's engine up to now. */
  step(pod: Pod): void {
    const { simulation } = pod;
    for (const emission of simulation.advance(this.now)) this.#emitted(pod, emission);
    this.#publish(pod);
    clearTimeout(this.#timers.get(pod));
    const { nextAt } = simulation;
    if (nextAt === Number.POSITIVE_INFINITY) return;
    const timer = setTimeout(() => this.step(pod), Math.max(0, nextAt - this.now));
    this.#timers.set(pod, timer);
  }

  #publish(pod: Pod): void {
    const { publisher, events } = this.#publishing.get(pod) ?? {};
    if (!publisher?.isHeard) {
      events?.forget();
      return;
    }
    const batch = events?.batch();
    if (batch !== undefined) publisher.publish(batch);
  }

  /** Nothing answers at its address any more. */
  async kill(pod: Pod): Promise<void> {
    clearTimeout(this.#timers.get(pod));
    const server = this.#servers.get(pod);
    this.#servers.delete(pod);
    await this.#publishing.get(pod)?.publisher.close();
    this.#publishing.delete(pod);
    server?.closeAllConnections();
    await new Promise((resolve) => server?.close(resolve) ?? resolve(undefined));
  }

  async stop(): Promise<void> {
    for (const pod of [...this.#servers.keys()]) await this.kill(pod);
  }
}

/** Returns the tokens of a request in vLLM's format: a list for prompts, an object for a chat. */
async function rendered(request: IncomingMessage): Promise<object> {
  const { prompt, messages } = JSON.parse(Buffer.concat(await request.toArray()).toString());
  const token_ids = tokensOf(prompt ?? JSON.stringify(messages));
  return prompt === undefined ? { token_ids } : [{ token_ids }];
}
