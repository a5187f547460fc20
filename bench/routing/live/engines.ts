import { createServer, type Server } from "node:http";
import { metricsPage } from "../../../testing/model-server/metrics-page.ts";
import type { Emission } from "../../../testing/model-server/simulation.ts";
import type { Pod } from "../pod.ts";

/** The engines of pods in real time: each has its metrics page at the pod's address, and computes by the clock. */
export class LiveEngines {
  readonly #started = performance.now();
  readonly #emitted: (pod: Pod, emission: Emission) => void;
  readonly #timers = new Map<Pod, NodeJS.Timeout>();
  readonly #servers = new Map<Pod, Server>();

  constructor(emitted: (pod: Pod, emission: Emission) => void) {
    this.#emitted = emitted;
  }

  /** Milliseconds since the start. */
  get now(): number {
    return performance.now() - this.#started;
  }

  async serve(pod: Pod): Promise<void> {
    const { simulation, endpoint } = pod;
    const server = createServer((_, response) => {
      this.step(pod);
      response.setHeader("content-type", "text/plain; version=0.0.4");
      response.end(metricsPage("base", simulation.metrics, simulation.options));
    });
    server.keepAliveTimeout = 60_000;
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject).listen(endpoint.port, endpoint.ip, resolve);
    });
    this.#servers.set(pod, server);
  }

  /** What the pod's engine has computed until now. */
  step(pod: Pod): void {
    const { simulation } = pod;
    for (const emission of simulation.advance(this.now)) this.#emitted(pod, emission);
    clearTimeout(this.#timers.get(pod));
    const { nextAt } = simulation;
    if (nextAt === Number.POSITIVE_INFINITY) return;
    const timer = setTimeout(() => this.step(pod), Math.max(0, nextAt - this.now));
    this.#timers.set(pod, timer);
  }

  /** Nothing answers at its address any more. */
  async kill(pod: Pod): Promise<void> {
    clearTimeout(this.#timers.get(pod));
    const server = this.#servers.get(pod);
    this.#servers.delete(pod);
    server?.closeAllConnections();
    await new Promise((resolve) => server?.close(resolve) ?? resolve(undefined));
  }

  async stop(): Promise<void> {
    for (const pod of [...this.#servers.keys()]) await this.kill(pod);
  }
}
