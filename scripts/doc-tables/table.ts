/** A table in Markdown. A `|` in a cell is escaped. */
export function table(
  head: readonly string[],
  rows: ReadonlyArray<ReadonlyArray<string | number>>,
): string[] {
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)];
}

const line = (cells: ReadonlyArray<string | number>): string =>
  `| ${cells.map((text) => String(text).replaceAll(/(?<!\\)\|/g, "\\|")).join(" | ")} |`;

export const code = (text: string): string => `\`${text}\``;

/** Names in code style, with commas between them. */
export const codes = (names: readonly string[]): string => names.map(code).join(", ");
