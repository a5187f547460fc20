import { parserNames } from "./parsers.ts";
import { prefixCacheProducer } from "./producers/approx-prefix-cache-producer.ts";
import { metricsExtractor } from "./producers/core-metrics-extractor.ts";
import type { DataPlugin } from "./producers/data-plugin.ts";
import { metricsSource } from "./producers/metrics-data-source.ts";
import { precisePrefixCacheProducer, unusedOf } from "./producers/precise-prefix-cache-producer.ts";
import { tokenProducer } from "./producers/token-producer.ts";
import { lostTypes, refusedTypes } from "./upstream-only.ts";

/** A plugin type that a configuration may name but that takes no part in scheduling. */
export interface UnscheduledType {
  readonly type: string;
  /**
   * - `data`: configures the data that plugins read.
   * - `parser`: reads requests.
   * - `simplified`: is replaced by something simpler.
   * - `ignored`: is accepted without effect.
   * - `lost`: exists upstream, and is omitted with a warning.
   * - `unsupported`: exists upstream, and is refused.
   */
  readonly part: "data" | "parser" | "simplified" | "ignored" | "lost" | "unsupported";
  /** The replacement. For a lost type the loss, for an unsupported type the reason for its refusal. */
  readonly instead?: string;
  /** Returns a message for each parameter that is refused. */
  problems?(parameters: Readonly<Record<string, unknown>>): readonly string[];
  /** Returns a message for each setting that the picker does not apply. */
  warnings?(parameters: Readonly<Record<string, unknown>>): readonly string[];
}

export const dataPlugins: readonly DataPlugin[] = [
  prefixCacheProducer,
  precisePrefixCacheProducer,
  tokenProducer,
  metricsSource,
  metricsExtractor,
];

/** Returns a warning about the parameters of a tokenizer that `token-producer` does not read. */
const otherThan =
  (...read: readonly string[]) =>
  (parameters: Readonly<Record<string, unknown>>): string[] => {
    const asked = Object.keys(parameters).filter((key) => !read.includes(key));
    if (asked.length === 0) return [];
    return [`${asked.join(", ")} of a tokenizer is ignored: tokens come only from model servers`];
  };

/** Warnings about settings of data plugins that the picker does not apply. */
const dataWarnings: Readonly<Record<string, UnscheduledType["warnings"]>> = {
  [prefixCacheProducer.type]: ({ prefixHashSource }) =>
    prefixHashSource === "metadata"
      ? ["prefixHashSource: metadata is ignored: the picker hashes the prompts"]
      : [],
  [precisePrefixCacheProducer.type]: unusedOf,
  [tokenProducer.type]: otherThan("estimate", "vllm"),
};

/** Returns a plugin without effect. It refuses one parameter, which changes what upstream does. */
const ignored = (type: string, instead: string): UnscheduledType => ({
  type,
  part: "ignored",
  instead,
  problems: ({ addEstimatedOutputTokens }) =>
    addEstimatedOutputTokens === true
      ? [
          `${type}: addEstimatedOutputTokens: true is not supported, since response tokens are not estimated: set it to false or leave it out`,
        ]
      : [],
});

export const unscheduledTypes: readonly UnscheduledType[] = [
  ...dataPlugins.map(({ type }): UnscheduledType => {
    const warnings = dataWarnings[type];
    return { type, part: "data", ...(warnings && { warnings }) };
  }),
  ...parserNames.map((type) => ({ type, part: "parser" }) as const),
  {
    type: "tokenizer",
    part: "simplified",
    instead:
      "tokens are read from model servers by token-producer, or estimated from the length of the text",
    warnings: otherThan("estimate"),
  },
  ignored("inflight-load-producer", "in-flight requests and tokens are always counted"),
  ignored("session-id-producer", "session plugins read the header themselves"),
  ignored("agent-identity", "agents are always identified by their session headers"),
  ignored("disagg-headers-handler", "the profile handler sets the header itself"),
  ignored("prefill-header-handler", "the profile handler sets the header itself"),
  ignored("endpoint-notification-source", "the picker always watches the pool's pods"),
  ignored("k8s-notification-source", "the picker always watches the pool's objects"),
  ignored("models-data-source", "the picker does not read models from servers"),
  ignored("models-data-extractor", "the picker does not read models from servers"),
  ignored("request-attribute-reporter", "request attributes are not reported"),
  ignored(
    "destination-endpoint-served-verifier",
    "the response to a request with the conformance suite's header always names the serving endpoint",
  ),
  ignored("sheddable-eviction-filter", "eviction cuts off sheddable requests only"),
  ignored(
    "priority-then-time-eviction-order-policy",
    "eviction cuts off the newest request of the lowest priority first",
  ),
  {
    type: "topology-extractor",
    part: "ignored",
    instead: "the standard topology labels of pods are always read",
    warnings: (parameters) =>
      Object.keys(parameters).map(
        (name) => `${name} of topology-extractor is not used: the standard labels are read`,
      ),
  },
  ignored("models-responder", "a model server answers requests for its models"),
  ...lostTypes.map(({ type, loses }) => ({ type, part: "lost", instead: loses }) as const),
  ...refusedTypes.map(({ type, why }) => ({ type, part: "unsupported", instead: why }) as const),
];

const byType = new Map(unscheduledTypes.map((each) => [each.type, each]));

export const unscheduledType = (type: string): UnscheduledType | undefined => byType.get(type);

export const unscheduledOf = (part: UnscheduledType["part"]): readonly UnscheduledType[] =>
  unscheduledTypes.filter((each) => each.part === part);
