import { BodyTooLong, readBody } from "../kubernetes/api/read-body.ts";
import type { StartPack } from "./analyzer/analyzer-process.ts";
import { longestInput, tooLong, tooMuch } from "./too-much.ts";

/** The environment of a command, except for files. */
export interface Terminal {
  readonly out: Output;
  readonly err: Output;
  /** Reads standard input to its end. */
  readStdin(): Promise<string>;
  /** Starts a policy pack. Default: in a process that ends with the command. */
  readonly startPack?: StartPack;
  /** Clock in ms, for progress. Default: the clock of this process. */
  readonly now?: () => number;
  /** Returns the dependency of a new project on this package. Default: the source of the package that runs. */
  readonly ownDependency?: (project: string) => string;
}

export interface Output {
  /** Writes text; control characters in external text are escaped. */
  write(text: string): void;
  /** Writes text unchanged, such as a model's response to a file. Default: the same as `write`. */
  pass?(text: string): void;
  /** Whether the output is a terminal, which would interpret control characters in external text. Default: false. */
  readonly isTerminal?: boolean;
  /** Whether colours are shown, because a person reads the output. */
  readonly colour: boolean;
}

/**
 * Returns the terminal of this process. NO_COLOR (https://no-color.org) disables colours. FORCE_COLOR, unless it is 0,
 * enables them if the output is not a terminal, such as in a CI log.
 */
export function processTerminal(): Terminal {
  return {
    out: outputOf(process.stdout),
    err: outputOf(process.stderr),
    readStdin,
  };
}

async function readStdin(): Promise<string> {
  const what = "standard input";
  try {
    return String(await readBody(process.stdin, { what, maxBytes: longestInput }));
  } catch (error) {
    throw error instanceof BodyTooLong ? tooMuch(what, tooLong) : error;
  }
}

function outputOf(stream: NodeJS.WriteStream): Output {
  return {
    write: (written) => stream.write(written),
    isTerminal: stream.isTTY === true,
    colour: showsColour(stream.isTTY === true, process.env),
  };
}

/** Returns whether an output shows colours, by the variables of the environment. */
export function showsColour(isTerminal: boolean, env: NodeJS.ProcessEnv): boolean {
  const { NO_COLOR = "", FORCE_COLOR = "", TERM } = env;
  if (NO_COLOR !== "") return false;
  if (FORCE_COLOR !== "") return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  return isTerminal && TERM !== "dumb";
}
