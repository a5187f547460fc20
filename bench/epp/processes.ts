import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { LoadReport } from "../../testing/ext-proc/load-report.ts";
import { type ServerProcess, startServer } from "../../testing/processes/server-process.ts";
import { startWatchdog } from "../../testing/processes/watchdog.ts";
import { repositoryRoot } from "../../testing/repository.ts";

/** Files of the processes; they and the processes go with this process, however it ends. */
export const scratch = mkdtempSync(join(tmpdir(), "pulumi-inference-bench-"));
const watchdog = startWatchdog(scratch);

/** To be called when all processes have ended. */
export const cleanUp = () => watchdog.release();

export const inRepository = (path: string) => join(repositoryRoot, path);

/** Starts a server and waits until `ready` returns true. */
export async function startAndWait(
  name: string,
  command: readonly string[],
  ready: (server: ServerProcess) => Promise<boolean>,
): Promise<ServerProcess> {
  const [file = "", ...args] = command;
  const server = startServer(name, file, args);
  watchdog.guard(server.pid);
  const deadline = Date.now() + 30_000;
  while (!(await ready(server))) {
    const end = server.ended();
    if (end === undefined && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      continue;
    }
    await server.stop();
    throw new Error(
      `${name} ${end === undefined ? "was not ready in time" : `ended with ${end}`}:\n${server.log()}`,
    );
  }
  return server;
}

/** Runs a load driver of the harness. `onMeasuring` is called when its warm-up is over. */
export async function runDriver(
  driver: "load-driver" | "http-driver",
  args: readonly string[],
  onMeasuring: () => void,
): Promise<LoadReport> {
  const file = inRepository(`testing/ext-proc/${driver}.ts`);
  const child: ChildProcess = spawn(process.execPath, [file, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  let last = "";
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    if (line === "measuring") onMeasuring();
    last = line;
  }
  const [code] = await exited;
  if (code !== 0) throw new Error(`${driver} ended with exit code ${code}`);
  return JSON.parse(last) as LoadReport;
}
