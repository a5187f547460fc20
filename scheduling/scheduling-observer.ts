/** A configured plugin, as labelled in metrics. */
export interface PluginIdentity {
  readonly type: string;
  readonly name: string;
}

/** Points at which plugins run, with the upstream picker's names. */
export type ExtensionPoint = "ProfilePicker" | "Filter" | "Scorer" | "Picker" | "PreRequest";

/** Source of the data about a server's cache: the server's KV events, or the prompts that were sent there. */
export type PrefixSource = "events" | "estimate";

/** Stages of a request that run on different model servers. */
export type DisaggregationDecision =
  | "decode-only"
  | "prefill-decode"
  | "encode-decode"
  | "encode-prefill-decode";

/** Receives the scheduler's events, for metrics only. It does not influence decisions. */
export interface SchedulingObserver {
  /** Returns a function to call with the duration, in seconds, of each run of a plugin at an extension point. */
  runsOf(point: ExtensionPoint, plugin: PluginIdentity): (seconds: number) => void;
  /** Called when a profile handler has selected the stages of a request. */
  disaggregated(plugin: PluginIdentity, model: string, decision: DisaggregationDecision): void;
  /**
   * Returns a function to call per dispatched request. Its endpoint has the first `matchedBytes` of `totalBytes`
   * cached.
   */
  matchesOf(
    plugin: PluginIdentity,
  ): (matchedBytes: number, totalBytes: number, source: PrefixSource) => void;
  /**
   * Called per dispatched request with the tokens of its prompts, the tokens that the endpoint which computes them has
   * cached, and the tokens that the endpoint with the longest cached prefix has cached.
   */
  prompt(tokens: number, onChosen: number, onBest: number): void;
}

/** Observer for tests and tools without metrics. */
export const silentObserver: SchedulingObserver = {
  runsOf: () => () => {},
  disaggregated() {},
  matchesOf: () => () => {},
  prompt() {},
};
