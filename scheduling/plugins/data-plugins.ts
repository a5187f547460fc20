import { prefixCacheProducer } from "./approx-prefix-cache-producer.ts";
import { metricsExtractor } from "./core-metrics-extractor.ts";
import type { DataPlugin } from "./data-plugin.ts";
import { metricsSource } from "./metrics-data-source.ts";

/** Plugins of a configuration that take no part in scheduling. */
export const dataPlugins: readonly DataPlugin[] = [
  prefixCacheProducer,
  metricsSource,
  metricsExtractor,
];

/** A type may be called like what every object inherits. */
const mapOf = (entries: Readonly<Record<string, string>>) => new Map(Object.entries(entries));

/** Its caches are estimated, as those of approx-prefix-cache-producer. */
export const preciseProducerType = "precise-prefix-cache-producer";

/** Plugins that are taken as something simpler, and what that is. */
export const simplifiedPlugins: ReadonlyMap<string, string> = mapOf({
  [preciseProducerType]: "caches are estimated, cache events are not read",
  "token-producer": "tokens are estimated by length, at four bytes each",
  tokenizer: "tokens are estimated by length, at four bytes each",
});

/** Plugins that are read and do nothing here, and what happens instead. */
export const ignoredPlugins: ReadonlyMap<string, string> = mapOf({
  "inflight-load-producer": "requests and tokens on their way are always counted",
  "session-id-producer": "session plugins read the header themselves",
  "agent-identity": "agents are always told by their session headers",
  "disagg-headers-handler": "the profile handler sets the header itself",
  "prefill-header-handler": "the profile handler sets the header itself",
  "endpoint-notification-source": "the picker always watches the pool's pods",
  "k8s-notification-source": "the picker always watches the pool's objects",
  "models-data-source": "models are not read from the servers",
  "models-data-extractor": "models are not read from the servers",
  "request-attribute-reporter": "request attributes are not reported",
  "destination-endpoint-served-verifier": "a request with the conformance suite's header gets it",
  "static-usage-limit-policy": "flow control is not enforced",
  "soft-reflective-ceiling-policy": "flow control is not enforced",
  "priority-holdback-policy": "flow control is not enforced",
  "global-strict-fairness-policy": "flow control is not enforced",
  "round-robin-fairness-policy": "flow control is not enforced",
  "program-aware-fairness": "flow control is not enforced",
  "fcfs-ordering-policy": "flow control is not enforced",
  "edf-ordering-policy": "flow control is not enforced",
  "slo-deadline-ordering-policy": "flow control is not enforced",
});

/** Ignored plugins that change what a request gets, so that it must be said aloud. */
export const isLoud = (type: string) => ignoredPlugins.get(type) === "flow control is not enforced";
