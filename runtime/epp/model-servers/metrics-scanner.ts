import { limits } from "../../limits.ts";

/** One sample line of a metrics page. */
export interface Series {
  readonly family: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
  /** Milliseconds; almost always undefined, because lines have no timestamp. */
  readonly timestamp: number | undefined;
}

/**
 * Finds the series of given families on a page in Prometheus' text format. A page has hundreds of lines, and only five
 * or so are needed, so all other lines are skipped without parsing. Malformed lines are skipped as well.
 */
export class MetricsScanner {
  /** Matches a given family's name at the start of a line. */
  readonly #family: RegExp;

  constructor(families: Iterable<string>) {
    const names = [...new Set(families)].map((name) => name.replace(/\W/g, "\\$&"));
    this.#family = new RegExp(`^(?:${names.join("|")})(?=[{ \t])`, "gm");
  }

  scan(page: Buffer, visit: (series: Series) => void): void {
    // With latin1 each character is one byte of the page. Only the lines found are decoded as UTF-8.
    const bytes = page.toString("latin1");
    const pattern = this.#family;
    pattern.lastIndex = 0;
    for (let found = pattern.exec(bytes); found !== null; found = pattern.exec(bytes)) {
      const [family] = found;
      const feed = bytes.indexOf("\n", found.index);
      const end = feed < 0 ? bytes.length : feed;
      // The expression also treats a carriage return as the start of a line.
      const isStart = found.index === 0 || bytes[found.index - 1] === "\n";
      if (isStart && end - found.index <= limits.metricsLine.value) {
        const series = readLine(family, page.toString("utf8", found.index + family.length, end));
        if (series !== undefined) visit(series);
      }
      if (isStart) pattern.lastIndex = end;
    }
  }
}

const noLabels: ReadonlyMap<string, string> = new Map();
const labelName = /\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*"/y;
const labelEnd = /\s*(,?)\s*(\}?)/y;
const valueAndTime = /^\s+(\S+)(?:\s+(-?\d+))?(?:\s+#.*)?\s*$/;

/** Parses a line after the family's name. */
function readLine(family: string, text: string): Series | undefined {
  const found = text.startsWith("{") ? readLabels(text) : { labels: noLabels, end: 0 };
  if (found === undefined) return undefined;
  const match = valueAndTime.exec(text.slice(found.end));
  if (match === null) return undefined;
  const value = readNumber(match[1] as string);
  if (value === undefined) return undefined;
  const timestamp = match[2] === undefined ? undefined : Number(match[2]);
  return { family, labels: found.labels, value, timestamp };
}

function readLabels(text: string): { labels: Map<string, string>; end: number } | undefined {
  const labels = new Map<string, string>();
  let at = 1;
  if (/^\{\s*\}/.test(text)) return { labels, end: text.indexOf("}") + 1 };
  for (;;) {
    labelName.lastIndex = at;
    const name = labelName.exec(text)?.[1];
    if (name === undefined) return undefined;
    const value = readQuoted(text, labelName.lastIndex);
    if (value === undefined) return undefined;
    labels.set(name, value.text);
    labelEnd.lastIndex = value.end;
    const match = labelEnd.exec(text);
    if (match?.[2] === "}") return { labels, end: labelEnd.lastIndex };
    if (match?.[1] !== ",") return undefined;
    at = labelEnd.lastIndex;
  }
}

/** Reads a label's value after its opening quote; `\\`, `\"` and `\n` are escapes. */
function readQuoted(text: string, start: number): { text: string; end: number } | undefined {
  quotedEnd.lastIndex = start;
  const quoted = quotedEnd.exec(text)?.[1];
  if (quoted === undefined) return undefined;
  const value = quoted.includes("\\") ? quoted.replace(escapes, unescaped) : quoted;
  return { text: value, end: quotedEnd.lastIndex };
}

const quotedEnd = /([^"\\]*(?:\\[\s\S][^"\\]*)*)"/y;
const escapes = /\\([\s\S])/g;
const unescaped = (_: string, char: string) => (char === "n" ? "\n" : char);

const special: Readonly<Record<string, number>> = {
  "+Inf": Number.POSITIVE_INFINITY,
  Inf: Number.POSITIVE_INFINITY,
  "-Inf": Number.NEGATIVE_INFINITY,
  NaN: Number.NaN,
};
const decimal = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/;

function readNumber(text: string): number | undefined {
  if (decimal.test(text)) return Number(text);
  return special[text];
}
