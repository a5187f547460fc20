/** A metric as it is exposed; `read` is called once per scrape. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly labels: readonly string[];
  read(): Iterable<Sample>;
}

export interface Sample {
  /** Values of the family's labels, in order. */
  readonly labels: readonly string[];
  readonly value: number | HistogramValue;
}

export interface HistogramValue {
  /** Upper bounds, ascending, without +Inf. */
  readonly bounds: readonly number[];
  /** Observations per bucket, not cumulative; the last bucket is +Inf. */
  readonly counts: readonly number[];
  readonly sum: number;
}

export interface FamilyInput {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

/** A counter or gauge. Callers keep the series and update it without a lookup. */
export class Tally {
  value = 0;

  get sample(): number {
    return this.value;
  }
}

export class Histogram implements HistogramValue {
  readonly bounds: readonly number[];
  readonly counts: number[];
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Array<number>(bounds.length + 1).fill(0);
  }

  get sample(): HistogramValue {
    return this;
  }

  /** A value that equals a bound counts as below it. */
  observe(value: number): void {
    const { bounds } = this;
    let low = 0;
    let high = bounds.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((bounds[middle] as number) < value) low = middle + 1;
      else high = middle;
    }
    this.counts[low] = (this.counts[low] as number) + 1;
    this.sum += value;
  }
}

/**
 * The series of a family, created on first use. A family without series keeps no map, because most families of a
 * process are never used.
 */
export class SeriesFamily<
  Series extends { readonly sample: Sample["value"] },
  Input extends FamilyInput = FamilyInput,
> implements Family
{
  readonly type: Family["type"];
  readonly #input: Input;
  readonly #newSeries: (input: Input) => Series;
  #series: Map<string, { labels: readonly string[]; series: Series }> | undefined;

  constructor(type: Family["type"], input: Input, newSeries: (input: Input) => Series) {
    this.type = type;
    this.#input = input;
    this.#newSeries = newSeries;
  }

  get name(): string {
    return this.#input.name;
  }

  get help(): string {
    return this.#input.help;
  }

  get labels(): readonly string[] {
    return this.#input.labels;
  }

  /** Returns the series of label values, in the order of the family's labels. Frequent callers should keep it. */
  series(...values: readonly string[]): Series {
    const key = values.join("\0");
    this.#series ??= new Map();
    let found = this.#series.get(key);
    if (found === undefined) {
      found = { labels: values, series: this.#newSeries(this.#input) };
      this.#series.set(key, found);
    }
    return found.series;
  }

  *read(): Iterable<Sample> {
    for (const { labels, series } of this.#series?.values() ?? [])
      yield { labels, value: series.sample };
  }
}

interface HistogramInput extends FamilyInput {
  readonly bounds: readonly number[];
}

const newTally = () => new Tally();
const newHistogram = ({ bounds }: HistogramInput) => new Histogram(bounds);

export const counters = (input: FamilyInput) => new SeriesFamily("counter", input, newTally);

export const gauges = (input: FamilyInput) => new SeriesFamily("gauge", input, newTally);

export const histograms = (input: HistogramInput) =>
  new SeriesFamily("histogram", input, newHistogram);

/** A family whose samples are computed when they are read. */
export const computed = (
  type: "counter" | "gauge",
  input: FamilyInput,
  read: () => Iterable<Sample>,
): Family => ({ ...input, type, read });

/** A gauge without labels whose value is computed when it is read. */
export const gauge = (name: string, help: string, read: () => number): Family =>
  computed("gauge", { name, help, labels: [] }, () => [{ labels: [], value: read() }]);
