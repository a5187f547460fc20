import { setTimeout as sleep } from "node:timers/promises";
import { runtimeBundle } from "../processes/runtime-bundle.ts";
import { type ServerProcess, startServer } from "../processes/server-process.ts";
import { startWatchdog } from "../processes/watchdog.ts";

/** A program of the image in a process of its own. */
export interface RuntimeProcess<Ports> {
  readonly pid: number;
  readonly ports: Ports;
  log(): string;
  /** How it ended, or undefined while it runs. */
  ended(): string | undefined;
  /** SIGTERM, and the exit that follows. */
  stop(graceMs?: number): Promise<void>;
}

/** An endpoint picker in a process of its own. */
export type PickerProcess = RuntimeProcess<{
  readonly grpc: number;
  readonly health: number;
  readonly metrics: number;
}>;

export interface PickerProcessOptions {
  /** Flags after those for ports, which are free ones, and plain text. */
  readonly args: readonly string[];
  /** Program. Default: the bundle of the runtime, as in the image. */
  readonly program?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const freePorts = ["--grpc-port=0", "--grpc-health-port=0", "--metrics-port=0"];

/** Starts a picker and waits until it listens. */
export const startPicker = ({ args, ...options }: PickerProcessOptions): Promise<PickerProcess> =>
  startRuntime("endpoint-picker", { args: [...freePorts, ...args], ...options });

/** Starts a program of the image and waits until it prints its ports. It ends with this process. */
export async function startRuntime<Ports = PickerProcess["ports"]>(
  name: string,
  { args, program, env = {} }: PickerProcessOptions,
): Promise<RuntimeProcess<Ports>> {
  const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const command = [process.execPath, program ?? (await runtimeBundle()), name, ...args];
  const watchdog = startWatchdog();
  const server = startServer(name, "env", [...settings, ...command], watchdog);
  const stop = async (graceMs?: number) => {
    await server.stop(graceMs);
    await watchdog.release();
  };
  try {
    const ports = await listening<Ports>(server);
    return { pid: server.pid, ports, log: server.log, ended: server.ended, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const startTimeoutMs = 60_000;

/** The ports that it logs. */
async function listening<Ports>(server: ServerProcess): Promise<Ports> {
  const deadline = Date.now() + startTimeoutMs;
  for (;;) {
    const line = server
      .log()
      .split("\n")
      .find((text) => text.includes('"msg":"serving"'));
    if (line !== undefined) return (JSON.parse(line) as { ports: Ports }).ports;
    const end = server.ended();
    if (end !== undefined || Date.now() > deadline) {
      throw new Error(`${server.name} ${end ?? "did not listen in time"}:\n${server.log()}`);
    }
    await sleep(20);
  }
}
