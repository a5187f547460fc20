import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** The demo as `npm run demo` starts it, with piped output and a separate folder for temporary files. */
export interface DemoProcess {
  /** Its output on stdout and on stderr so far. */
  out(): string;
  err(): string;
  /** Resolves when it has printed `text`. Rejects if it ends before. */
  printed(text: string): Promise<void>;
  /** Resolves when a process of it, or of its children, has `program` in its command line. */
  started(program: string): Promise<void>;
  /** Sends SIGINT to the process group, as Ctrl-C does. */
  interrupt(): void;
  /** Exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
  /** Resolves when none of its processes runs and none of its files is left. */
  gone(): Promise<void>;
  /** Names of its temporary files and folders. */
  files(): string[];
  /** Interrupts it if it still runs, and removes its files. */
  dispose(): Promise<void>;
}

/** @param env further variables of its environment */
export function startDemo(args: readonly string[], env: NodeJS.ProcessEnv = {}): DemoProcess {
  const temporary = mkdtempSync(join(tmpdir(), "demo-test-"));
  const child = spawn(
    process.execPath,
    ["--conditions=source", join(import.meta.dirname, "main.ts"), ...args],
    {
      detached: true,
      env: { ...process.env, TMPDIR: temporary, KUBECONFIG: "", ...env },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let [out, err] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  let end: number | string | undefined;
  const ended = once(child, "close").then(([code, signal]) => {
    end = (code ?? signal) as number | string;
    return end;
  });
  const until = async (holds: () => boolean, what: string) => {
    while (!holds()) {
      if (end !== undefined) throw new Error(`it ended with ${end} before ${what}:\n${out}${err}`);
      await sleep(20);
    }
  };
  const files = () => readdirSync(temporary);
  const interrupt = () => process.kill(-(child.pid as number), "SIGINT");
  return {
    out: () => out,
    err: () => err,
    printed: (text) => until(() => out.includes(text), `it printed ${text}`),
    started: (program) =>
      until(
        () => commandLines(temporary).some((line) => line.includes(program)),
        `it started ${program}`,
      ),
    interrupt,
    ended,
    async gone() {
      while (commandLines(temporary).length > 0 || files().length > 0) await sleep(20);
    },
    files,
    async dispose() {
      if (end === undefined) interrupt();
      await ended;
      rmSync(temporary, { recursive: true, force: true });
    },
  };
}

/** Command lines of the running processes whose TMPDIR is this folder. */
function commandLines(temporary: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, "utf8");
        if (!environment.split("\0").includes(`TMPDIR=${temporary}`)) return [];
        return [readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")];
      } catch {
        // The process has ended, or it belongs to another user.
        return [];
      }
    });
}
