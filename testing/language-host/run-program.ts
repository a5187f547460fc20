import { spawn } from "node:child_process";
import { once } from "node:events";

export interface ProgramRun {
  readonly engine: string;
  readonly monitor: string;
  readonly organization: string;
  readonly project: string;
  readonly stack: string;
  /** Folder of Pulumi.yaml. */
  readonly root: string;
  readonly directory: string;
  readonly entryPoint: string;
  readonly parallel: number;
  readonly preview: boolean;
  readonly config: Readonly<Record<string, string>>;
  readonly secretKeys: readonly string[];
  /** Options of `runtime` in Pulumi.yaml. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Ends the program. */
  readonly signal: AbortSignal;
}

/** Process that executes a program. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  /** Variables in addition to the variables of this process. */
  readonly env: Readonly<Record<string, string>>;
}

export interface Ending {
  /** Undefined if the program succeeded, or if it has reported its error to the engine. */
  readonly error?: string;
  readonly isReported: boolean;
}

/** Exit code of the SDKs' runners if they have reported an error themselves. */
const reported = 32;

/** Runs a program and waits for its end. */
export async function runProgram(
  { directory, signal }: ProgramRun,
  { command, args, env }: Launch,
): Promise<Ending> {
  const child = spawn(command, args, {
    cwd: directory,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...env },
    signal,
    killSignal: "SIGKILL",
  });
  try {
    const [code, killed] = (await once(child, "exit")) as [number | null, string | null];
    if (code === 0) return { isReported: false };
    if (code === reported) return { isReported: true };
    const how = killed === null ? `a non-zero exit code: ${code}` : `signal ${killed}`;
    return { error: `Program exited with ${how}`, isReported: false };
  } catch (error) {
    return { error: `Program could not be run: ${(error as Error).message}`, isReported: false };
  }
}
