import { dirname, extname, join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Log } from "../log.ts";
import type { HealthRules } from "./health-service.ts";
import { Pulse } from "./pulse.ts";

/** Input of the health thread. */
export interface HealthThreadInput {
  /** 0 for any free port. */
  readonly port: number;
  readonly rules: HealthRules;
  readonly memory: SharedArrayBuffer;
}

/** Message of the thread once it listens, or has failed to. */
export type HealthThreadMessage = { readonly port: number } | { readonly failure: string };

export interface HealthServer {
  readonly port: number;
  /** Updates the readiness that the thread reports, without waiting for the next interval. */
  update(): void;
  stop(): Promise<void>;
}

export interface HealthServerOptions {
  readonly port: number;
  readonly rules: HealthRules;
  /** Whether the program has everything that it needs to serve. */
  readonly isReady: () => boolean;
  readonly log: Log;
}

/** Interval at which the program's readiness is checked, in ms. */
const beatIntervalMs = 100;

/** In the same folder and with the same extension as this file: .ts in the sources, .cjs in the bundle. */
const thread = join(dirname(import.meta.filename), `health-thread${extname(import.meta.filename)}`);

/**
 * Serves grpc.health.v1 without TLS, as probes need it, from a separate thread. A program that is busy with a long task
 * still responds, and counts as dead only after its event loop was blocked for a long time.
 */
export async function serveHealth({
  port,
  rules,
  isReady,
  log,
}: HealthServerOptions): Promise<HealthServer> {
  const pulse = new Pulse();
  const update = () => pulse.beat(isReady());
  update();
  const workerData: HealthThreadInput = { port, rules, memory: pulse.memory };
  const worker = new Worker(thread, {
    workerData,
    name: "health",
    // The thread does not inherit flags of the process, such as the heap size.
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 },
  });
  const bound = await new Promise<number>((resolve, reject) => {
    worker.once("message", (message: HealthThreadMessage) =>
      "port" in message ? resolve(message.port) : reject(new Error(message.failure)),
    );
    worker.once("error", reject);
    worker.once("exit", () => reject(new Error("the thread that answers probes has ended")));
  }).catch(async (error: unknown) => {
    await worker.terminate();
    throw error;
  });
  // From here on probes fail, and Kubernetes restarts the program.
  worker.on("error", (error) => log.error("probes get no responses anymore", error));
  worker.unref();
  const timer = setInterval(update, beatIntervalMs);
  timer.unref();
  return {
    port: bound,
    update,
    async stop() {
      clearInterval(timer);
      await worker.terminate();
    },
  };
}
