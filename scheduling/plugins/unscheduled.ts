import { prefixCacheProducer } from "./approx-prefix-cache-producer.ts";
import { metricsExtractor } from "./core-metrics-extractor.ts";
import type { DataPlugin } from "./data-plugin.ts";
import { metricsSource } from "./metrics-data-source.ts";
import { parserNames } from "./parsers.ts";
import { precisePrefixCacheProducer, unusedOf } from "./precise-prefix-cache-producer.ts";
import { tokenProducer } from "./token-producer.ts";

/** A type of plugin that a configuration may name and that takes no part in scheduling. */
export interface UnscheduledType {
  readonly type: string;
  /**
   * - `data`: sets up what plugins read.
   * - `parser`: reads requests.
   * - `simplified`: is taken as something simpler.
   * - `ignored`: is read and does nothing.
   * - `unsupported`: exists upstream, and is refused.
   */
  readonly part: "data" | "parser" | "simplified" | "ignored" | "unsupported";
  /** What happens instead, for the documentation. */
  readonly instead?: string;
  /** What is asked for and not done. */
  warnings?(parameters: Readonly<Record<string, unknown>>): readonly string[];
}

export const dataPlugins: readonly DataPlugin[] = [
  prefixCacheProducer,
  precisePrefixCacheProducer,
  tokenProducer,
  metricsSource,
  metricsExtractor,
];

/** What a tokenizer is asked for beside what `token-producer` reads. */
const otherThan =
  (...read: readonly string[]) =>
  (parameters: Readonly<Record<string, unknown>>): string[] => {
    const asked = Object.keys(parameters).filter((key) => !read.includes(key));
    if (asked.length === 0) return [];
    return [
      `${asked.join(", ")} of a tokenizer is not used: only model servers are asked for tokens`,
    ];
  };

/** What data plugins are asked for and do not do. */
const dataWarnings: Readonly<Record<string, UnscheduledType["warnings"]>> = {
  [precisePrefixCacheProducer.type]: unusedOf,
  [tokenProducer.type]: otherThan("estimate", "vllm"),
};

/** Returns a plugin of which one parameter asks for something. */
const ignored = (type: string, instead: string): UnscheduledType => ({
  type,
  part: "ignored",
  instead,
  warnings: ({ addEstimatedOutputTokens }) =>
    addEstimatedOutputTokens === true
      ? [`${type}: addEstimatedOutputTokens is not used, tokens of answers are not estimated`]
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
      "tokens are told by model servers, where token-producer asks them, or estimated by length",
    warnings: otherThan("estimate"),
  },
  ignored("inflight-load-producer", "requests and tokens on their way are always counted"),
  ignored("session-id-producer", "session plugins read the header themselves"),
  ignored("agent-identity", "agents are always told by their session headers"),
  ignored("disagg-headers-handler", "the profile handler sets the header itself"),
  ignored("prefill-header-handler", "the profile handler sets the header itself"),
  ignored("endpoint-notification-source", "the picker always watches the pool's pods"),
  ignored("k8s-notification-source", "the picker always watches the pool's objects"),
  ignored("models-data-source", "models are not read from the servers"),
  ignored("models-data-extractor", "models are not read from the servers"),
  ignored("request-attribute-reporter", "request attributes are not reported"),
  ignored(
    "destination-endpoint-served-verifier",
    "a request with the conformance suite's header gets it",
  ),
  ...["sglanghttp-parser", "vllmgrpc-parser", "vertexai-parser"].map(
    (type) => ({ type, part: "unsupported" }) as const,
  ),
];

const byType = new Map(unscheduledTypes.map((each) => [each.type, each]));

export const unscheduledType = (type: string): UnscheduledType | undefined => byType.get(type);

export const unscheduledOf = (part: UnscheduledType["part"]): readonly UnscheduledType[] =>
  unscheduledTypes.filter((each) => each.part === part);
