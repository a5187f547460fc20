/** A row of a table, by column header. */
export type TableRow = Readonly<Record<string, string>>;

/**
 * Returns the rows of the last table that has all of these columns and is below the heading. An empty cell in the
 * first column repeats the cell above it.
 *
 * @throws Error if the page has no such table
 */
export function tableOf(page: string, heading: string, columns: readonly string[]): TableRow[] {
  const from = page.indexOf(`\n${heading}\n`);
  const level = heading.slice(0, heading.indexOf(" ") + 1);
  const section = page.slice(from + heading.length + 2).split(`\n${level}`)[0] ?? "";
  const tables = section
    .split("\n\n")
    .filter((block) => block.startsWith("|"))
    .map((block) => block.trimEnd().split("\n").map(cellsOf))
    .filter(([head]) => columns.every((column) => head?.includes(column)));
  const [head, , ...rows] = tables.at(-1) ?? [];
  if (from < 0 || head === undefined)
    throw new Error(`no table below "${heading}" with the columns ${columns.join(", ")}`);
  let first = "";
  return rows.map((cells) => {
    first = cells[0] || first;
    return Object.fromEntries(
      head.map((column, at) => [column, at === 0 ? first : (cells[at] ?? "")]),
    );
  });
}

const cellsOf = (line: string) =>
  line
    .replace(/^\|/, "")
    .replace(/\|$/, "")
    .split("|")
    .map((cell) => cell.trim());

/**
 * Returns the row whose first cell begins with a string.
 *
 * @throws Error if there is none
 */
export function rowOf(rows: readonly TableRow[], beginning: string): TableRow {
  const row = rows.find((each) => Object.values(each)[0]?.startsWith(beginning));
  if (row === undefined) throw new Error(`no row "${beginning}"`);
  return row;
}

/** Returns a number in the format of tables, such as `1,159`. NaN for any other text, such as an empty cell. */
export const numberOf = (cell: string | undefined): number =>
  cell !== undefined && /^[\d.,]+$/.test(cell) ? Number(cell.replaceAll(",", "")) : Number.NaN;
