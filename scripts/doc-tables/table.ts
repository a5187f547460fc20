/** Returns a table in Markdown. A `|` in a cell is escaped. */
export function table(
  head: readonly string[],
  rows: ReadonlyArray<ReadonlyArray<string | number>>,
): string[] {
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)];
}

const line = (cells: ReadonlyArray<string | number>): string =>
  `| ${cells.map((text) => String(text).replaceAll(/(?<!\\)\|/g, "\\|")).join(" | ")} |`;

export const code = (text: string): string => `\`${text}\``;

/** Returns names in code style, separated by commas. */
export const codes = (names: readonly string[]): string => names.map(code).join(", ");
