import { dirname, extname, join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Log } from "../log.ts";
import type { HealthRules } from "./health-service.ts";
import { Pulse } from "./pulse.ts";

/** What the thread is started with. */
export interface HealthThreadInput {
  /** 0 for any. */
  readonly port: number;
  readonly rules: HealthRules;
  readonly memory: SharedArrayBuffer;
}

/** What it says when it has started. */
export type HealthThreadMessage = { readonly port: number } | { readonly failure: string };

export interface HealthServer {
  readonly port: number;
  /** Tells the thread at once what changed. */
  update(): void;
  stop(): Promise<void>;
}

export interface HealthServerOptions {
  readonly port: number;
  readonly rules: HealthRules;
  /** Whether the program has what it needs to serve. */
  readonly isReady: () => boolean;
  readonly log: Log;
}

/** Milliseconds between two looks at whether the program is ready. */
const beatIntervalMs = 100;

/** Beside this file, as this file is written: TypeScript in the sources, JavaScript in the bundle. */
const thread = join(dirname(import.meta.filename), `health-thread${extname(import.meta.filename)}`);

/**
 * Serves grpc.health.v1 in plain text, as probes ask it, from a thread of its own: a program that works through something
 * large still answers, and only one that has stood still for long is dead.
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
    // Flags of the process, such as its heap's size, are not the thread's.
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
  // Probes fail from here on, and Kubernetes starts the program anew.
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
