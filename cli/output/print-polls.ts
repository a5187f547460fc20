import { setTimeout as sleep } from "node:timers/promises";
import { exitCode } from "../exit-code.ts";
import type { Terminal } from "../terminal.ts";
import { formatReading, type ReadingFormat } from "./print.ts";

/** Interval between two polls of `--watch`, in ms. */
const pollIntervalMs = 2_000;

/** How a command prints a poll. */
export interface View<Poll> {
  /** Fields that count as a change between two polls. */
  readonly compared: (poll: Poll) => unknown;
  /** The poll as a value for JSON and YAML. */
  readonly value: (poll: Poll) => unknown;
  readonly table: (poll: Poll, out: Terminal["out"]) => string;
  /** Whether the poll has no problems. */
  readonly isWell: (poll: Poll) => boolean;
}

/** Separator between two polls. */
const between = { table: "\n", json: "", yaml: "---\n" } as const;

/**
 * Prints the first poll, whose state determines the exit code. With `watch`, prints each poll that differs from the
 * previous one, until there are no more.
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
