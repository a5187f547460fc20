import type { PodHealth } from "../../../scheduling/pairs/pair-health.ts";
import type { SchedulerState } from "../../../scheduling/profiles/scheduler-state.ts";
import type {
  DisaggregationDecision,
  ExtensionPoint,
  PluginIdentity,
  PrefixSource,
  SchedulingObserver,
} from "../../../scheduling/scheduling-observer.ts";
import type { EjectedServer } from "../../../scheduling/server-model/server-health.ts";
import { metrics } from "../../../sdk/observability/metrics.ts";
import {
  computed,
  counters,
  type Family,
  type Histogram,
  histograms,
  type Sample,
} from "../../manager/metrics/family.ts";
import * as bounds from "./bounds.ts";

export interface SchedulerView {
  readonly prefixIndexes: SchedulerState["prefixIndexes"];
  readonly excludedPairs: () => readonly unknown[];
  readonly ejected: () => readonly EjectedServer[];
  readonly podHealth: () => readonly PodHealth[];
}

const ofPlugin = ["plugin_name", "plugin_type"] as const;

/** Names, helps and labels of the families, the same for every pool of a process. */
const about = {
  runs: {
    name: "llm_d_epp_plugin_duration_seconds",
    help: "Seconds of a plugin's run; a lookup in the prefix index counts for the first scorer that needs it.",
    labels: ["extension_point", "plugin_type", "plugin_name"],
    bounds: bounds.schedulingSeconds,
  },
  size: {
    name: "llm_d_epp_prefix_indexer_size",
    help: "Blocks in the prefix index, all endpoints together.",
    labels: ofPlugin,
  },
  decisions: {
    name: "llm_d_epp_disagg_decision_total",
    help: "Requests by the stages that a disaggregating profile handler chose.",
    labels: ["plugin_name", "plugin_type", "model_name", "decision_type"],
  },
  hitRatio: {
    name: "llm_d_epp_prefix_indexer_hit_ratio",
    help: "Share of a prompt that the chosen endpoint has cached, according to the index.",
    labels: ofPlugin,
    bounds: bounds.prefixHitRatio,
  },
  hitBytes: {
    name: "llm_d_epp_prefix_indexer_hit_bytes",
    help: "Bytes of a prompt that the chosen endpoint has cached, according to the index.",
    labels: ofPlugin,
    bounds: bounds.prefixHitBytes,
  },
  lookups: {
    name: "llm_d_epp_prefix_indexer_lookups_total",
    help: "Prompts looked up in the prefix index of the chosen endpoint, by its source: KV events or an estimate.",
    labels: [...ofPlugin, "source"],
  },
} as const;

/** Metrics of the scheduler's plugins, labelled by their types and names in the configuration. */
export class PluginMetrics implements SchedulingObserver {
  readonly #runs = histograms(about.runs);
  readonly #decisions = counters(about.decisions);
  readonly #hitRatio = histograms(about.hitRatio);
  readonly #hitBytes = histograms(about.hitBytes);
  readonly #lookups = counters(about.lookups);
  readonly #promptTokens = counters(metrics.promptTokens);
  readonly #chosenCached = counters(metrics.chosenCachedTokens);
  readonly #bestCached = counters(metrics.bestCachedTokens);
  readonly #view: SchedulerView;
  readonly #model: (model: string) => string;

  /** @param model returns the label value for a model that a client named */
  constructor(view: SchedulerView, model: (model: string) => string) {
    this.#model = model;
    this.#view = view;
  }

  get families(): Family[] {
    const { prefixIndexes, excludedPairs, ejected, podHealth } = this.#view;
    return [
      this.#runs,
      computed("gauge", metrics.excludedPairs, () => [
        { labels: [], value: excludedPairs().length },
      ]),
      computed("gauge", metrics.ejectedEndpoints, () =>
        ejected().map(
          ({ endpoint, model }): Sample => ({
            labels: [endpoint, model === undefined ? "*" : this.#model(model)],
            value: 1,
          }),
        ),
      ),
      computed("gauge", metrics.failingPods, () =>
        podHealth().map(
          ({ namespace, pod, failingSeconds }): Sample => ({
            labels: [namespace, pod],
            value: failingSeconds,
          }),
        ),
      ),
      this.#decisions,
      computed("gauge", about.size, () =>
        prefixIndexes().map(
          ({ plugin, size }): Sample => ({ labels: [plugin.name, plugin.type], value: size }),
        ),
      ),
      this.#hitRatio,
      this.#hitBytes,
      this.#lookups,
      this.#promptTokens,
      this.#chosenCached,
      this.#bestCached,
    ];
  }

  runsOf(point: ExtensionPoint, { type, name }: PluginIdentity): (seconds: number) => void {
    let series: Histogram | undefined;
    return (seconds) => {
      series ??= this.#runs.series(point, type, name);
      series.observe(seconds);
    };
  }

  disaggregated(
    { type, name }: PluginIdentity,
    model: string,
    decision: DisaggregationDecision,
  ): void {
    const shown = model === "" ? "unknown" : this.#model(model);
    this.#decisions.series(name, type, shown, decision).value += 1;
  }

  prompt(tokens: number, onChosen: number, onBest: number): void {
    this.#promptTokens.series().value += tokens;
    this.#chosenCached.series().value += onChosen;
    this.#bestCached.series().value += onBest;
  }

  matchesOf({
    type,
    name,
  }: PluginIdentity): (matchedBytes: number, totalBytes: number, source: PrefixSource) => void {
    let hits: { readonly bytes: Histogram; readonly ratio: Histogram } | undefined;
    return (matchedBytes, totalBytes, source) => {
      this.#lookups.series(name, type, source).value += 1;
      hits ??= {
        bytes: this.#hitBytes.series(name, type),
        ratio: this.#hitRatio.series(name, type),
      };
      hits.bytes.observe(matchedBytes);
      if (totalBytes > 0) hits.ratio.observe(matchedBytes / totalBytes);
    };
  }
}
