import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { repositoryRoot } from "../harness/repository.ts";
import { startServer } from "../harness/server-process.ts";

/** A controller of a cluster set in a process of its own. */
export interface ControllerProcess {
  readonly pid: number;
  readonly ports: { readonly health: number; readonly metrics: number };
  log(): string;
  /** SIGTERM, and the exit that follows. */
  stop(): Promise<void>;
}

const startTimeout = 20_000;

/** Starts a controller on free ports and waits until it listens. */
export async function startProcess(args: readonly string[]): Promise<ControllerProcess> {
  const program = join(repositoryRoot, "runtime", "main.ts");
  const flags = ["--metrics-port=0", "--health-port=0", ...args];
  const server = startServer("multi-cluster-controller", process.execPath, [
    program,
    "multi-cluster-controller",
    ...flags,
  ]);
  const deadline = Date.now() + startTimeout;
  for (;;) {
    const line = server
      .log()
      .split("\n")
      .find((text) => text.includes('"msg":"serving"'));
    if (line !== undefined) {
      const { ports } = JSON.parse(line) as Pick<ControllerProcess, "ports">;
      return { pid: server.pid, ports, log: server.log, stop: () => server.stop() };
    }
    const end = server.ended();
    if (end !== undefined || Date.now() > deadline) {
      await server.stop();
      throw new Error(`the controller ${end ?? "did not listen in time"}:\n${server.log()}`);
    }
    await sleep(20);
  }
}
