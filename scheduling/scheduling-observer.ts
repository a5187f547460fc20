/** A plugin of a configuration, as metrics name it. */
export interface PluginIdentity {
  readonly type: string;
  readonly name: string;
}

/** Places at which plugins run, by the upstream picker's names. */
export type ExtensionPoint = "ProfilePicker" | "Filter" | "Scorer" | "Picker" | "PreRequest";

/** How it is known what a server has cached: by what it says of its cache, or by what was sent there. */
export type PrefixSource = "events" | "estimate";

/** Stages that a request goes through on different model servers. */
export type DisaggregationDecision =
  | "decode-only"
  | "prefill-decode"
  | "encode-decode"
  | "encode-prefill-decode";

/** Hears what the scheduler does: metrics are made of it, decisions are not. */
export interface SchedulingObserver {
  /** Returns what is called with the seconds of every run of a plugin at an extension point. */
  runsOf(point: ExtensionPoint, plugin: PluginIdentity): (seconds: number) => void;
  /** A profile handler decided on which stages a request is served. */
  disaggregated(plugin: PluginIdentity, model: string, decision: DisaggregationDecision): void;
  /** Returns what is called where a request goes to an endpoint that has the first `matchedBytes` of its `totalBytes` cached. */
  matchesOf(
    plugin: PluginIdentity,
  ): (matchedBytes: number, totalBytes: number, source: PrefixSource) => void;
}

/** For tests and tools that read no metrics. */
export const silentObserver: SchedulingObserver = {
  runsOf: () => () => {},
  disaggregated() {},
  matchesOf: () => () => {},
};
