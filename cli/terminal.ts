import { BodyTooLong, readBody } from "../kubernetes/api/read-body.ts";
import type { StartPack } from "./analyzer/analyzer-process.ts";
import { longestInput, tooLong, tooMuch } from "./too-much.ts";

/** What a command sees of the world around it, files apart. */
export interface Terminal {
  readonly out: Output;
  readonly err: Output;
  /** All of standard input. */
  readStdin(): Promise<string>;
  /** How a policy pack is started. Default: in a process that ends with the command. */
  readonly startPack?: StartPack;
  /** Clock in ms, for progress. Default: the clock of this process. */
  readonly now?: () => number;
}

export interface Output {
  /** Writes text; control characters in text that came from others are escaped. */
  write(text: string): void;
  /** Writes text unchanged, such as a model's answer to a file. Default: the same as `write`. */
  pass?(text: string): void;
  /** Whether a terminal shows it, where control characters of another program's text would act. Default: none does. */
  readonly isTerminal?: boolean;
  /** Whether a person looks at it: colour is for them only. */
  readonly colour: boolean;
}

/** The terminal of this process. NO_COLOR (https://no-color.org) turns colour off. */
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
  const { NO_COLOR = "", TERM } = process.env;
  return {
    write: (written) => stream.write(written),
    isTerminal: stream.isTTY === true,
    colour: stream.isTTY === true && NO_COLOR === "" && TERM !== "dumb",
  };
}
