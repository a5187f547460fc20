import { setTimeout as sleep } from "node:timers/promises";
import { exitCode } from "../exit-code.ts";
import type { Terminal } from "../terminal.ts";
import { formatReading, type ReadingFormat } from "./print.ts";

/** Milliseconds between two looks of `--watch`. */
const pollIntervalMs = 2_000;

/** How a command prints what it sees at a moment. */
export interface View<Poll> {
  /** What of a look makes it another one than the look before. */
  readonly compared: (poll: Poll) => unknown;
  /** The look as JSON and YAML have it. */
  readonly value: (poll: Poll) => unknown;
  readonly table: (poll: Poll, out: Terminal["out"]) => string;
  /** Whether all is as it should be. */
  readonly isWell: (poll: Poll) => boolean;
}

/** What stands between two looks. */
const between = { table: "\n", json: "", yaml: "---\n" } as const;

/**
 * Prints the first look, whose state is the exit code; or, with `watch`, each look that differs from the one before, until
 * the looks end.
 */
export async function printPolls<Poll>(
  polls: AsyncIterable<Poll>,
  { compared, value, table, isWell }: View<Poll>,
  { format, watch }: { readonly format: ReadingFormat; readonly watch: boolean },
  { out }: Terminal,
  pause = pollIntervalMs,
): Promise<number> {
  let before: string | undefined;
  for await (const poll of polls) {
    const text = JSON.stringify(compared(poll));
    const shown = () => formatReading(format, value(poll), () => table(poll, out));
    if (text !== before) out.write(`${before === undefined ? "" : between[format]}${shown()}`);
    if (!watch) return isWell(poll) ? exitCode.ok : exitCode.problems;
    before = text;
    await sleep(pause);
  }
  return exitCode.ok;
}
