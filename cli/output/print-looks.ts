import { setTimeout as sleep } from "node:timers/promises";
import { exitCode } from "../exit-code.ts";
import type { Terminal } from "../terminal.ts";
import { formatReading, type ReadingFormat } from "./print.ts";

/** Milliseconds between two looks of `--watch`. */
const lookIntervalMs = 2_000;

/** How a command prints what it sees at a moment. */
export interface View<Look> {
  /** What of a look makes it another one than the look before. */
  readonly compared: (look: Look) => unknown;
  /** The look as JSON and YAML have it. */
  readonly value: (look: Look) => unknown;
  readonly table: (look: Look, out: Terminal["out"]) => string;
  /** Whether all is as it should be. */
  readonly isWell: (look: Look) => boolean;
}

/** What stands between two looks. */
const between = { table: "\n", json: "", yaml: "---\n" } as const;

/**
 * Prints the first look, whose state is the exit code; or, with `watch`, each look that differs from the one before, until
 * the looks end.
 */
export async function printLooks<Look>(
  looks: AsyncIterable<Look>,
  { compared, value, table, isWell }: View<Look>,
  { format, watch }: { readonly format: ReadingFormat; readonly watch: boolean },
  { out }: Terminal,
  pause = lookIntervalMs,
): Promise<number> {
  let before: string | undefined;
  for await (const look of looks) {
    const text = JSON.stringify(compared(look));
    const shown = () => formatReading(format, value(look), () => table(look, out));
    if (text !== before) out.write(`${before === undefined ? "" : between[format]}${shown()}`);
    if (!watch) return isWell(look) ? exitCode.ok : exitCode.problems;
    before = text;
    await sleep(pause);
  }
  return exitCode.ok;
}
