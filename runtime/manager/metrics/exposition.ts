import type { Family, HistogramValue } from "./family.ts";

/** Content type of `expose`: https://prometheus.io/docs/instrumenting/exposition_formats/ */
export const expositionType = "text/plain; version=0.0.4; charset=utf-8";

/** Formats a family in Prometheus' text format, one series at a time; yields nothing without series. */
export function* expose(family: Family): Generator<string> {
  const { name, labels } = family;
  let head = `# HELP ${name} ${family.help}\n# TYPE ${name} ${family.type}\n`;
  for (const { labels: values, value } of family.read()) {
    const shown = labels
      .map((label, at) => `${label}="${escaped(values[at] as string)}"`)
      .join(",");
    yield head +
      (typeof value === "number"
        ? `${name}${shown === "" ? "" : `{${shown}}`} ${formatNumber(value)}\n`
        : histogram(name, shown, value));
    head = "";
  }
}

function histogram(name: string, labels: string, { bounds, counts, sum }: HistogramValue): string {
  const before = labels === "" ? "" : `${labels},`;
  const shownBounds = boundTexts(bounds);
  let total = 0;
  let text = "";
  for (const [at, count] of counts.entries()) {
    total += count;
    text += `${name}_bucket{${before}le="${shownBounds[at] ?? "+Inf"}"} ${total}\n`;
  }
  const braces = labels === "" ? "" : `{${labels}}`;
  return `${text}${name}_sum${braces} ${formatNumber(sum)}\n${name}_count${braces} ${total}\n`;
}

/** Formatted bounds. All series of a family share one array of bounds. */
const textsOfBounds = new WeakMap<readonly number[], readonly string[]>();

function boundTexts(bounds: readonly number[]): readonly string[] {
  let texts = textsOfBounds.get(bounds);
  if (texts === undefined) {
    texts = bounds.map(formatNumber);
    textsOfBounds.set(bounds, texts);
  }
  return texts;
}

const escaped = (value: string): string =>
  value.replace(/[\\"\n]/g, (char) => (char === "\n" ? "\\n" : `\\${char}`));

/**
 * Formats a number as Go's client does, with an exponent from seven digits on. Bounds of buckets are labels, and must
 * be equal strings if one query covers two kinds of pickers.
 */
export function formatNumber(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  if (value === Number.NEGATIVE_INFINITY) return "-Inf";
  const size = Math.abs(value);
  if (value === 0 || Number.isNaN(value) || (size >= 1e-4 && size < 1e6)) return String(value);
  const [mantissa, sign, power] = value.toExponential().split(/e([+-])/) as [
    string,
    string,
    string,
  ];
  return `${mantissa}e${sign}${power.padStart(2, "0")}`;
}
