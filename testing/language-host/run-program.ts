import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { join } from "node:path";

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
  /** Options of Node.js. */
  readonly nodeArgs: readonly string[];
  /** Whether ts-node compiles the program. */
  readonly typescript: boolean;
  /** Ends the program. */
  readonly signal: AbortSignal;
}

export interface Ending {
  /** Undefined if the program succeeded, or if it has reported its error to the engine. */
  readonly error?: string;
  readonly isReported: boolean;
}

/** Exit code of the SDK's runner if it has reported an error itself. */
const reported = 32;

/** Runs a program with the runner of its SDK, and waits for its end. */
export async function runProgram(run: ProgramRun): Promise<Ending> {
  const { directory, nodeArgs, signal } = run;
  const runner = createRequire(join(directory, "index.js")).resolve("@pulumi/pulumi/cmd/run");
  const child = spawn("node", [...nodeArgs, runner, ...runnerArguments(run)], {
    cwd: directory,
    stdio: ["ignore", "inherit", "inherit"],
    env: {
      ...process.env,
      PULUMI_CONFIG: JSON.stringify(run.config),
      PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(run.secretKeys),
      PULUMI_NODEJS_TYPESCRIPT: String(run.typescript),
    },
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

function runnerArguments(run: ProgramRun): string[] {
  return [
    `--organization=${run.organization}`,
    `--project=${run.project}`,
    `--stack=${run.stack}`,
    `--root-directory=${run.root}`,
    `--pwd=${run.directory}`,
    `--parallel=${run.parallel}`,
    ...(run.preview ? ["--dry-run"] : []),
    `--monitor=${run.monitor}`,
    `--engine=${run.engine}`,
    run.entryPoint,
  ];
}
