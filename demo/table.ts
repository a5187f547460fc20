/** Tables that fit their terminal. */

const indent = 2;
const gap = 2;

/**
 * Lines of a table, none longer than `width`. Cells whose columns are too wide for that are folded between words, and
 * words that are still too long are cut in their middle.
 */
export function table(rows: readonly (readonly string[])[], width = terminalWidth()): string {
  const widths = columnWidths(rows, width - indent);
  return rows
    .flatMap((row) => {
      const cells = row.map((cell, column) => fold(cell, widths[column] ?? 0));
      const height = Math.max(1, ...cells.map((lines) => lines.length));
      return Array.from({ length: height }, (_, line) =>
        cells.map((lines, column) => (lines[line] ?? "").padEnd(widths[column] ?? 0)),
      );
    })
    .map((cells) => `${" ".repeat(indent)}${cells.join(" ".repeat(gap))}`.trimEnd())
    .join("\n");
}

/** The width of the terminal; 80 if there is none. */
export const terminalWidth = (): number => process.stdout.columns || 80;

/** Narrows the widest columns first: down to their longest word, and then further until the row fits. */
function columnWidths(rows: readonly (readonly string[])[], room: number): number[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const longest = (measure: (cell: string) => number) =>
    Array.from({ length: columns }, (_, column) =>
      Math.max(0, ...rows.map((row) => measure(row[column] ?? ""))),
    );
  const widths = longest((cell) => cell.length);
  const words = longest((cell) => Math.max(...cell.split(" ").map((word) => word.length)));
  const excess = () => widths.reduce((sum, width) => sum + width, gap * (columns - 1)) - room;
  for (const least of [words, words.map(() => 1)]) {
    while (excess() > 0) {
      const slack = widths.map((width, column) => (width > (least[column] ?? 0) ? width : 0));
      const widest = slack.indexOf(Math.max(...slack));
      if ((slack[widest] ?? 0) === 0) break;
      widths[widest] = (widths[widest] ?? 0) - 1;
    }
  }
  return widths;
}

function fold(cell: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of cell.split(" ").map((each) => cut(each, width))) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= width) {
      lines[lines.length - 1] = `${line} ${word}`;
    } else lines.push(word);
  }
  return lines;
}

function cut(word: string, width: number): string {
  if (word.length <= width) return word;
  const end = Math.floor(width / 2);
  return `${word.slice(0, width - end - 1)}…${end === 0 ? "" : word.slice(-end)}`;
}

/** An output for tables, for example `process.stdout`. */
export interface Screen {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  write(text: string): unknown;
}

export interface LiveTable {
  show(rows: readonly (readonly string[])[]): void;
  /** Prints the last table if `show` did not. */
  end(): void;
}

/**
 * On a terminal each table replaces the previous one. If the output is not a terminal, or has fewer lines than the table,
 * only the last table is printed.
 */
export function liveTable(screen: Screen): LiveTable {
  let lines = 0;
  let last: string | undefined;
  return {
    show(rows) {
      const width = screen.columns || 80;
      const text = table(rows, width);
      const height = text.split("\n").length;
      if (screen.isTTY !== true || height >= (screen.rows ?? Number.POSITIVE_INFINITY)) {
        last = text;
        return;
      }
      screen.write(`${lines > 0 ? `\u001b[${lines}A\u001b[J` : ""}${text}\n`);
      lines = height;
      last = undefined;
    },
    end() {
      if (last !== undefined) screen.write(`${last}\n`);
    },
  };
}
