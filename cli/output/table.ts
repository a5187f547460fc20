/** A cell and its colour; only the text counts for its width. */
export interface Cell {
  readonly text: string;
  readonly show?: (padded: string) => string;
}

/** Returns the lines of a table with two spaces between columns; the last column is not padded. */
export function formatTable(rows: readonly (readonly Cell[])[]): string {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.text.length ?? 0)),
  );
  const line = (row: readonly Cell[]) =>
    row
      .map(({ text, show = (shown) => shown }, column) => {
        const isLast = column === row.length - 1;
        return show(text) + (isLast ? "" : " ".repeat((widths[column] ?? 0) - text.length));
      })
      .join("  ")
      .trimEnd();
  return rows.map((row) => `${line(row)}\n`).join("");
}
