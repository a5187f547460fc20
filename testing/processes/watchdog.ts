import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Writable } from "node:stream";

/** Ends processes, and removes a folder if there is one, when this process is gone, however it ended. */
export interface Watchdog {
  /** Adds a process that must not outlive this one. */
  guard(pid: number): void;
  /** A process that is about to become another one writes its id here and closes the file, so that it is never unguarded. */
  readonly pipe: Writable;
  /** Removes the folder and ends the watchdog; the guarded processes must have ended. */
  release(): Promise<void>;
}

/**
 * A shell that reads process ids from a pipe which only this process holds open. The kernel closes the pipe
 * even when this process is killed with SIGKILL; the shell then kills what it guards.
 */
export function startWatchdog(folder = ""): Watchdog {
  const script =
    'pids=; while read -r pid; do if [ "$pid" = release ]; then pids=; break; fi; pids="$pids $pid"; done; ' +
    '[ -z "$pids" ] || kill -KILL $pids 2>/dev/null; [ -z "$1" ] || rm -rf "$1" || { sleep 1; rm -rf "$1"; }';
  const shell = spawn("/bin/sh", ["-c", script, "watchdog", folder], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  shell.unref();
  (shell.stdin as unknown as { unref(): void }).unref();
  let released: Promise<unknown> | undefined;
  return {
    pipe: shell.stdin,
    guard: (pid) => {
      shell.stdin.write(`${pid}\n`);
    },
    async release() {
      if (released === undefined) {
        shell.ref();
        released = once(shell, "exit");
        shell.stdin.end("release\n");
      }
      await released;
    },
  };
}
