import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Watchdog } from "./watchdog.ts";

/** Programs in Go collect garbage rarely while they are small: for an API server that was a quarter of its work. */
const rareCollections = { GOGC: "800", GOMEMLIMIT: "700MiB" };

/** How much of a process's output is kept. */
const keptLogBytes = 64 * 1024;

/** A server in a child process, with the end of its log. */
export interface ServerProcess {
  readonly name: string;
  readonly pid: number;
  /** The last lines of its output. */
  log(): string;
  /** How it ended, or undefined while it runs. */
  ended(): string | undefined;
  /** Ends it: SIGTERM, and SIGKILL after `graceMs`. */
  stop(graceMs?: number): Promise<void>;
}

/**
 * Starts a server. It does not keep this process alive, and it is its own process group, so that a Ctrl-C on the
 * terminal reaches only this process, which then stops its servers in order. It sends its id to the watchdog before it
 * becomes the program, so that it is guarded even if this process ends at that moment.
 */
export function startServer(
  name: string,
  file: string,
  args: readonly string[],
  watchdog?: Watchdog,
): ServerProcess {
  const options = { detached: true, env: { ...process.env, ...rareCollections } };
  const child =
    watchdog === undefined
      ? spawn(file, args, { ...options, stdio: ["ignore", "pipe", "pipe"] })
      : spawn("/bin/sh", ["-c", registered, name, file, ...args], {
          ...options,
          stdio: ["ignore", "pipe", "pipe", watchdog.pipe],
        });
  const log = keepTail(child);
  let end: string | undefined;
  child.on("error", (error) => {
    end = error.message;
  });
  child.on("exit", (code, signal) => {
    end = signal === null ? `exit code ${code}` : `signal ${signal}`;
  });
  child.unref();
  return {
    name,
    pid: child.pid ?? -1,
    log,
    ended: () => end,
    async stop(graceMs = 5_000) {
      if (end !== undefined) return;
      child.ref();
      const kill = setTimeout(() => child.kill("SIGKILL"), graceMs);
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
      clearTimeout(kill);
    },
  };
}

/** Memory that a process holds, in MiB; NaN if it has ended. */
export function residentMebibytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

const registered = 'echo $$ >&3; exec 3>&-; exec "$@"';

function keepTail(child: ChildProcess): () => string {
  let tail = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      tail = (tail + text).slice(-keptLogBytes);
    });
    (stream as { unref?: () => void } | null)?.unref?.();
  }
  return () => tail;
}
