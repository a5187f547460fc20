/** A metric as it is exposed: `read` is called for each scrape. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly labels: readonly string[];
  read(): Iterable<Sample>;
}

/** One time series. */
export interface Sample {
  /** Values of the family's labels, in their order. */
  readonly labels: readonly string[];
  readonly value: number | HistogramValue;
}

export interface HistogramValue {
  /** Upper bounds, ascending, without +Inf. */
  readonly bounds: readonly number[];
  /** Observations by bucket, each counted once; the last is that of +Inf. */
  readonly counts: readonly number[];
  readonly sum: number;
}

export interface FamilyInput {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

/** A number that goes up, or up and down. The holder of a series changes it without looking it up. */
export class Tally {
  value = 0;

  get sample(): number {
    return this.value;
  }
}

/** Observations by size. */
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

  /** A value that equals a bound belongs below it. */
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

/** The series of a family, made when they are first asked for. */
export class SeriesFamily<Series extends { readonly sample: Sample["value"] }> implements Family {
  readonly name: string;
  readonly help: string;
  readonly type: Family["type"];
  readonly labels: readonly string[];
  readonly #newSeries: () => Series;
  readonly #series = new Map<string, { labels: readonly string[]; series: Series }>();

  constructor(type: Family["type"], { name, help, labels }: FamilyInput, newSeries: () => Series) {
    this.type = type;
    this.name = name;
    this.help = help;
    this.labels = labels;
    this.#newSeries = newSeries;
  }

  /** Values in the order of the family's labels. Who uses a series often keeps it. */
  series(...values: readonly string[]): Series {
    const key = values.join("\0");
    let found = this.#series.get(key);
    if (found === undefined) {
      found = { labels: values, series: this.#newSeries() };
      this.#series.set(key, found);
    }
    return found.series;
  }

  *read(): Iterable<Sample> {
    for (const { labels, series } of this.#series.values()) yield { labels, value: series.sample };
  }
}

export const counters = (input: FamilyInput) =>
  new SeriesFamily("counter", input, () => new Tally());

export const gauges = (input: FamilyInput) => new SeriesFamily("gauge", input, () => new Tally());

export const histograms = (input: FamilyInput & { readonly bounds: readonly number[] }) =>
  new SeriesFamily("histogram", input, () => new Histogram(input.bounds));

/** A family whose samples are worked out when they are read. */
export const computed = (
  type: "counter" | "gauge",
  input: FamilyInput,
  read: () => Iterable<Sample>,
): Family => ({ ...input, type, read });
