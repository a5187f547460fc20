import { setTimeout as sleep } from "node:timers/promises";
import type { Terminal } from "../terminal.ts";
import type { ReadingFormat } from "./print.ts";

/** Milliseconds between two looks of `--watch`. */
export const lookIntervalMs = 2_000;

export interface ChangesOptions<Look> {
  /** Milliseconds between two looks. */
  readonly pause: number;
  readonly format: ReadingFormat;
  /** What of a look makes it another one than the look before. */
  readonly compared: (look: Look) => unknown;
  readonly shown: (look: Look) => string;
}

/** What stands between two looks. */
const between = { table: "\n", json: "", yaml: "---\n" } as const;

/** Prints each look that differs from the one before, until the looks end. */
export async function printChanges<Look>(
  looks: AsyncIterable<Look>,
  { out }: Pick<Terminal, "out">,
  { pause, format, compared, shown }: ChangesOptions<Look>,
): Promise<void> {
  let before: string | undefined;
  for await (const look of looks) {
    const text = JSON.stringify(compared(look));
    if (text !== before) out.write(`${before === undefined ? "" : between[format]}${shown(look)}`);
    before = text;
    await sleep(pause);
  }
}
