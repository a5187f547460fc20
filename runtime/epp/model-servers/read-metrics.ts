import {
  type ModelServerMetrics,
  unreportedMetrics,
} from "../../../scheduling/endpoints/endpoint.ts";
import type { MetricSpec } from "../../../scheduling/endpoints/metric-spec.ts";
import { limits } from "../../limits.ts";
import type { EngineMetrics } from "./engines.ts";
import { MetricsScanner, type Series } from "./metrics-scanner.ts";

/** Labels of the series that lists adapters (model server protocol, LoRA). */
const adapterLabel = {
  running: "running_lora_adapters",
  waiting: "waiting_lora_adapters",
  max: "max_lora",
} as const;

export class MetricsReader {
  readonly #engine: EngineMetrics;
  readonly #specs: readonly MetricSpec[];
  /** Metrics that each rank behind a port reports for itself only. */
  readonly #counted: ReadonlySet<MetricSpec | undefined>;
  readonly #scanner: MetricsScanner;

  constructor(engine: EngineMetrics) {
    this.#engine = engine;
    const withOlder = (specs: readonly (MetricSpec | undefined)[]) =>
      specs.flatMap((spec) =>
        spec === undefined ? [] : [spec, ...(engine.older.get(spec) ?? [])],
      );
    this.#counted = new Set(
      withOlder([
        engine.waitingRequests,
        engine.runningRequests,
        engine.kvCacheUsage,
        engine.firstTokens,
        engine.endedRequests,
        engine.generatedTokens,
        ...engine.furtherQueues,
      ]),
    );
    this.#specs = withOlder([
      engine.waitingRequests,
      engine.runningRequests,
      engine.maxRunningRequests,
      engine.kvCacheUsage,
      engine.adapters,
      engine.cacheInfo,
      engine.cacheBlockSize,
      engine.cacheBlocks,
      engine.firstTokens,
      engine.endedRequests,
      engine.generatedTokens,
      ...engine.furtherQueues,
    ]);
    this.#scanner = new MetricsScanner(this.#specs.map(({ family }) => family));
  }

  /**
   * Returns a new reading; values that the page lacks are taken from `previous`. Returns undefined if the page has none
   * of the metrics, so that an unusable page does not count as a fresh reading.
   */
  read(
    page: Buffer,
    now: number,
    previous: ModelServerMetrics | undefined,
  ): ModelServerMetrics | undefined {
    const found = this.#find(page);
    if (found.size === 0) return undefined;
    const engine = this.#engine;
    const before = previous ?? unreportedMetrics;
    const value = (spec: MetricSpec | undefined, otherwise: number) => {
      const given = (spec && found.get(spec)?.value) ?? Number.NaN;
      return Number.isFinite(given) ? given : otherwise;
    };
    const has = (spec: MetricSpec | undefined) => spec !== undefined && found.has(spec);
    const counter = (spec: MetricSpec | undefined, otherwise: number | undefined) =>
      has(spec) ? value(spec, 0) : otherwise;
    const count = (spec: MetricSpec | undefined) => {
      const given = value(spec, 0);
      return given > 0 ? Math.trunc(given) : undefined;
    };
    const info = engine.cacheInfo && found.get(engine.cacheInfo);
    const adapters = engine.adapters && found.get(engine.adapters);
    return {
      at: now,
      waitingRequests: Math.max(0, value(engine.waitingRequests, before.waitingRequests)),
      runningRequests: Math.max(0, value(engine.runningRequests, before.runningRequests)),
      reportsRequests: has(engine.waitingRequests) && has(gaugeOf(engine.runningRequests)),
      maxRunningRequests: count(engine.maxRunningRequests) ?? before.maxRunningRequests,
      firstTokens: counter(engine.firstTokens, before.firstTokens),
      endedRequests: counter(engine.endedRequests, before.endedRequests),
      generatedTokens: counter(engine.generatedTokens, before.generatedTokens),
      kvCacheUsage: clamp(value(engine.kvCacheUsage, before.kvCacheUsage)),
      cacheBlockSize:
        whole(info?.labels.get(engine.blockSizeLabel)) ??
        count(engine.cacheBlockSize) ??
        before.cacheBlockSize,
      cacheBlocks:
        whole(info?.labels.get(engine.blocksLabel)) ??
        count(engine.cacheBlocks) ??
        before.cacheBlocks,
      servedModel: servedModel(found.values()) ?? before.servedModel,
      activeModels: adapters
        ? names(adapters.labels.get(adapterLabel.running))
        : before.activeModels,
      waitingModels: adapters
        ? names(adapters.labels.get(adapterLabel.waiting))
        : before.waitingModels,
      maxActiveModels: whole(adapters?.labels.get(adapterLabel.max)) ?? before.maxActiveModels,
    };
  }

  /**
   * Finds the series of each spec. Counts of several ranks behind one port are added, and their cache shares averaged.
   * If several other series match, `#wins` decides.
   */
  #find(page: Buffer): ReadonlyMap<MetricSpec, Series> {
    const found = new Map<MetricSpec, Series>();
    const ranks = new Map<MetricSpec, number>();
    this.#scanner.scan(page, (series) => {
      for (const spec of this.#specs) {
        if (spec.family !== series.family || !hasLabels(series, spec)) continue;
        const other = found.get(spec);
        if (other !== undefined && this.#counted.has(spec) && isOfAnotherRank(series, other)) {
          found.set(spec, { ...other, value: other.value + series.value });
          ranks.set(spec, (ranks.get(spec) ?? 1) + 1);
        } else if (other === undefined || this.#wins(spec, series, other)) found.set(spec, series);
      }
    });
    const { kvCacheUsage, waitingRequests, furtherQueues, older } = this.#engine;
    for (const [spec, names] of older) {
      const name = found.has(spec) ? undefined : names.find((name) => found.has(name));
      if (name === undefined) continue;
      found.set(spec, found.get(name) as Series);
      ranks.set(spec, ranks.get(name) ?? 1);
    }
    const waiting = waitingRequests && found.get(waitingRequests);
    if (waitingRequests !== undefined && waiting !== undefined) {
      const further = furtherQueues.map((queue) => found.get(queue)?.value ?? 0);
      const value = further.reduce((sum, requests) => sum + requests, waiting.value);
      found.set(waitingRequests, { ...waiting, value });
    }
    const usage = kvCacheUsage && found.get(kvCacheUsage);
    if (kvCacheUsage !== undefined && usage !== undefined)
      found.set(kvCacheUsage, { ...usage, value: usage.value / (ranks.get(kvCacheUsage) ?? 1) });
    return found;
  }

  /**
   * Whether `series` replaces `other`: for adapters the one with the later value, which is a time; otherwise the one
   * with the later timestamp.
   */
  #wins(spec: MetricSpec, series: Series, other: Series): boolean {
    if (spec === this.#engine.adapters) return series.value > other.value;
    return (series.timestamp ?? 0) > (other.timestamp ?? 0);
  }
}

/** Returns the model in the label that vLLM and SGLang give each series. */
function servedModel(found: Iterable<Series>): string | undefined {
  for (const { labels } of found) {
    const name = labels.get("model_name");
    if (name !== undefined && name !== "" && name.length <= limits.modelName.value) return name;
  }
  return undefined;
}

/** Compares the label that vLLM (`engine`) and SGLang (`dp_rank`) give the series of their data-parallel ranks. */
const isOfAnotherRank = ({ labels }: Series, { labels: other }: Series): boolean =>
  rankLabels.some((name) => labels.has(name) && labels.get(name) !== other.get(name));

const rankLabels = ["engine", "dp_rank"];

const hasLabels = ({ labels }: Series, spec: MetricSpec) =>
  Object.entries(spec.labels).every(([name, value]) => labels.get(name) === value);

const clamp = (share: number) => Math.min(1, Math.max(0, share));

/** Returns undefined for a counter, such as Triton's, which counts all requests since the start. */
const gaugeOf = (spec: MetricSpec | undefined) =>
  spec !== undefined && /_(count|total)$/.test(spec.family) ? undefined : spec;

/** Parses a positive integer of a label. */
function whole(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d+$/.test(text.trim())) return undefined;
  const value = Number(text);
  return value > 0 ? value : undefined;
}

/** Splits a list of adapters. Entries beyond the limit are ignored: a server has no memory for more adapters. */
const names = (list: string | undefined): ReadonlySet<string> =>
  new Set(
    (list ?? "")
      .split(",", limits.adapters.value)
      .map((name) => name.trim())
      .filter((name) => name !== ""),
  );
