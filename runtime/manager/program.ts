import { type Log, stderrLog } from "./log.ts";
import { type TerminationSignal, terminationSignal } from "./termination.ts";

/** What a command line turns out to be, where nothing is to run. */
export type NothingToRun =
  | { readonly kind: "help"; readonly text: string }
  | { readonly kind: "wrong"; readonly problems: readonly string[] };

/** What ends a program that runs. */
export type End = (signal: TerminationSignal) => Promise<void>;

/** A program of the image that runs until a signal ends it. */
export interface Program<Run extends { readonly kind: string }> {
  /** For the log, such as `the endpoint picker`. */
  readonly title: string;
  readonly read: (
    args: readonly string[],
    env: Readonly<Record<string, string | undefined>>,
  ) => Run | NothingToRun;
  readonly verbosity: (run: Run) => number;
  /** Loads the program's parts: help and wrong flags answer without them. */
  readonly start: (run: Run, log: Log) => Promise<End>;
}

const exitCode = { ok: 0, failure: 1, misuse: 2 } as const;

/** Runs a program, and answers with the exit code. */
export async function runProgram<Run extends { readonly kind: string }>(
  { title, read, verbosity, start }: Program<Run>,
  args: readonly string[],
): Promise<number> {
  const invocation = read(args, process.env);
  if (isHelp(invocation)) {
    process.stdout.write(invocation.text);
    return exitCode.ok;
  }
  if (isWrong(invocation)) {
    for (const problem of invocation.problems) process.stderr.write(`${problem}\n`);
    return exitCode.misuse;
  }
  const run = invocation as Run;
  const log = stderrLog(verbosity(run));
  const signal = terminationSignal(process, (code) => process.exit(code));
  try {
    const end = await start(run, log);
    await end(await signal);
    return exitCode.ok;
  } catch (error) {
    log.error(`${title} failed`, error);
    return exitCode.failure;
  }
}

type Help = Extract<NothingToRun, { kind: "help" }>;
type Wrong = Extract<NothingToRun, { kind: "wrong" }>;
const isHelp = (invocation: { readonly kind: string }): invocation is Help =>
  invocation.kind === "help";
const isWrong = (invocation: { readonly kind: string }): invocation is Wrong =>
  invocation.kind === "wrong";
