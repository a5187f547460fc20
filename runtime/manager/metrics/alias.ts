import type { Family, HistogramValue, Sample } from "./family.ts";

export interface AliasInput {
  readonly name: string;
  readonly help: string;
  /** Labels of the alias, each with the label of the source that it shows. */
  readonly labels: Readonly<Record<string, string>>;
}

/** Exposes a family under an older name. If the alias has fewer labels, series are added up when they are read. */
export function alias(source: Family, { name, help, labels }: AliasInput): Family {
  const positions = Object.values(labels).map((label) => {
    const position = source.labels.indexOf(label);
    if (position < 0) throw new Error(`${name}: ${source.name} has no label ${label}`);
    return position;
  });
  const type = source.type;
  const isAll = new Set(positions).size === source.labels.length;
  const read = () => (isAll ? renamed(source, positions) : added(source, positions));
  return { name, help, type, labels: Object.keys(labels), read };
}

/**
 * With all labels there is nothing to add up, so each series is read only when it is written: a family may have a
 * series per endpoint.
 */
function* renamed(source: Family, positions: readonly number[]): Iterable<Sample> {
  for (const { labels, value } of source.read())
    yield { labels: positions.map((position) => labels[position] as string), value };
}

function added(source: Family, positions: readonly number[]): Iterable<Sample> {
  const sums = new Map<string, Sample>();
  for (const sample of source.read()) {
    const labels = positions.map((position) => sample.labels[position] as string);
    const key = labels.join("\0");
    const sum = sums.get(key);
    sums.set(key, { labels, value: sum ? plus(sum.value, sample.value) : sample.value });
  }
  return sums.values();
}

function plus(a: Sample["value"], b: Sample["value"]): Sample["value"] {
  if (typeof a === "number" || typeof b === "number") return Number(a) + Number(b);
  return {
    bounds: a.bounds,
    counts: a.counts.map((count, at) => count + (b.counts[at] as number)),
    sum: a.sum + b.sum,
  } satisfies HistogramValue;
}
