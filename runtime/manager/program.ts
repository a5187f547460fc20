import {
  type FlagTable,
  type FlagValues,
  type GivenFlags,
  parseCommandLine,
} from "./flags/command-line.ts";
import { flagHelp } from "./flags/help.ts";
import { type Log, stderrLog } from "./log.ts";
import { type TerminationSignal, terminationSignal } from "./termination.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** A running program. */
export interface Stoppable {
  stop(signal: TerminationSignal): Promise<void>;
}

/** A program of the image: its flags, their interpretation, and its work. It runs until a signal ends it. */
export interface Program<Table extends FlagTable, Options> {
  readonly name: string;
  /** Title for the log, such as `the endpoint picker`. */
  readonly title: string;
  /** First sentence of the help. */
  readonly summary: string;
  /** Default `[flags]`. */
  readonly usage?: string;
  readonly flags: Table;
  /** Returns the problems of combined flags, one sentence each. */
  problems?(values: FlagValues<Table>, given: GivenFlags): readonly string[];
  warnings?(values: FlagValues<Table>, given: GivenFlags): readonly string[];
  /** Returns the options of the program. Called only if there are no problems. */
  options(
    values: FlagValues<Table>,
    env: Environment,
    given: GivenFlags,
  ): Options & { readonly verbosity: number };
  /** Loads the program's parts. Help and invalid flags do not need them. */
  start(options: Options, log: Log): Promise<Stoppable>;
}

/** Result of parsing a command line. */
export type Invocation<Options> =
  | { readonly kind: "help"; readonly text: string }
  | { readonly kind: "wrong"; readonly problems: readonly string[] }
  | { readonly kind: "run"; readonly options: Options; readonly warnings: readonly string[] };

/** Parses a program's command line. */
export function readCommandLine<Table extends FlagTable, Options>(
  program: Program<Table, Options>,
  args: readonly string[],
  env: Environment = {},
): Invocation<Options & { readonly verbosity: number }> {
  const { name, summary, usage = "[flags]", flags } = program;
  const { values, given, help, problems } = parseCommandLine(flags, args);
  if (help)
    return { kind: "help", text: `${summary}\n\nUsage: ${name} ${usage}\n\n${flagHelp(flags)}` };
  const all = [...problems, ...(program.problems?.(values, given) ?? [])];
  if (all.length > 0) return { kind: "wrong", problems: all };
  const warnings = program.warnings?.(values, given) ?? [];
  return { kind: "run", options: program.options(values, env, given), warnings };
}

const exitCode = { ok: 0, failure: 1, usage: 2 } as const;

/** Runs a program until a signal ends it, and returns the exit code. */
export async function runProgram<Table extends FlagTable, Options>(
  program: Program<Table, Options>,
  args: readonly string[],
): Promise<number> {
  const invocation = readCommandLine(program, args, process.env);
  if (invocation.kind === "help") {
    process.stdout.write(invocation.text);
    return exitCode.ok;
  }
  if (invocation.kind === "wrong") {
    for (const problem of invocation.problems) process.stderr.write(`${problem}\n`);
    return exitCode.usage;
  }
  const log = stderrLog(invocation.options.verbosity);
  const signal = terminationSignal(process, (code) => process.exit(code));
  try {
    for (const warning of invocation.warnings) log.warn(warning);
    const running = await program.start(invocation.options, log);
    await running.stop(await signal);
    return exitCode.ok;
  } catch (error) {
    log.error(`${program.title} failed`, error);
    return exitCode.failure;
  }
}
