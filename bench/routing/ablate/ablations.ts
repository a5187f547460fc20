import { type ConstantName, constants } from "../../../scheduling/load-constants.ts";

/** A rule of load prediction, and the change of the source that removes it. */
export interface RemovedRule {
  readonly term: string;
  /** Below `scheduling/`. */
  readonly file: string;
  /** Text that the file has once. */
  readonly from: string;
  readonly to: string;
}

/** A constant of load prediction, and the value with which its rule has no effect. */
export interface NeutralConstant {
  readonly term: string;
  readonly constant: ConstantName;
  readonly value: number;
}

const none = Number.POSITIVE_INFINITY;

export const neutralConstants: readonly NeutralConstant[] = [
  { term: "least price", constant: "leastCopyCost", value: 0 },
  { term: "busy tokens", constant: "stepTokens", value: none },
  { term: "learning of arrivals", constant: "rateLearningMs", value: 0 },
  { term: "recompute factor", constant: "recomputeFactor", value: 1 },
  { term: "shared copies", constant: "copyAmortizationRequests", value: 0 },
  { term: "tokens per request", constant: "requestTokens", value: 0 },
  { term: "unknown slot", constant: "unknownSlotTokens", value: 0 },
  { term: "worth of choice", constant: "secondCopyWorth", value: 1 },
  { term: "unseen prompts", constant: "fewestSamples", value: 0 },
  { term: "tokens of preferred endpoints", constant: "longQueueTokens", value: none },
  { term: "least that a wait saves", constant: "stepTokens", value: 1 },
  { term: "short waits", constant: "longQueueTokens", value: 0 },
  { term: "few tries", constant: "slotTries", value: 1 },
  { term: "longer pauses", constant: "recentMs", value: constants.lagMs },
  { term: "slots in use", constant: "usedSlots", value: none },
  { term: "duplication penalties", constant: "penaltyPerShortage", value: 0 },
  { term: "slowness", constant: "unequal", value: none },
  { term: "prompt progress", constant: "mostPart", value: 0 },
  { term: "slots of unread servers", constant: "unreportedSlots", value: constants.firstSlots },
];

/** Rules of one file: the name, the text, and what takes its place. */
const of = (
  file: string,
  ...rules: ReadonlyArray<readonly [term: string, from: string, to: string]>
): RemovedRule[] => rules.map(([term, from, to]) => ({ term, file, from, to }));

export const removedRules: readonly RemovedRule[] = [
  ...of("server-model/request-cost.ts", [
    "slots waited for",
    "slotTokens(live, inputs.msPerToken) *",
    "0 *",
  ]),
  ...of(
    "plugins/scorers/prefill-cost-scorer.ts",
    [
      "seconds per copy",
      "(copyAmortizationSeconds * arrivals.perSecond(now)) / endpoints",
      "copyAmortizationRequests",
    ],
    ["copies of slow engines", "Math.min(1, assumedMsPerToken / msPerToken)", "1"],
    ["requests that stay", "Math.max(soon, requests)", "soon"],
  ),
  ...of(
    "server-model/cost.ts",
    ["memory", "hasMemoryFor(tokens, live, metrics) ? 0 : 1", "0"],
    [
      "reported requests",
      "Math.max(endpoint.live.runningRequests, reported)",
      "endpoint.live.runningRequests",
    ],
  ),
  ...of("server-model/endpoint-load.ts", [
    "prompts of other pickers",
    "runningTokens - computedTokens + externalTokens",
    "runningTokens - computedTokens",
  ]),
  ...of(
    "server-model/prefill-speeds.ts",
    ["speed of the pool", "return msPerToken(this.#seen);", "return assumedMsPerToken;"],
    [
      "time for other pickers' prompts",
      "ahead === 0 ? 1 : ahead / (ahead + (live.externalTokens ?? 0))",
      "1",
    ],
  ),
  ...of(
    "server-model/slots.ts",
    [
      "limits of servers",
      "metrics.maxRunningRequests ?? this.#most",
      "metrics.maxRunningRequests ?? Infinity",
    ],
    ["time until a slot", "this.#ended.msUntilNext(metrics.at)", "0"],
  ),
  ...of("server-model/step-time.ts", [
    "long steps",
    "return this.#steps > 0 && at - this.since >= (2 * this.#ms) / this.#steps",
    "return false",
  ]),
  ...of("server-model/external-load.ts", ["sizes of prompts", "if (size <= tokens) continue;", ""]),
  ...of("prefix-cache/duplication-penalty.ts", [
    "penalties of popular prompts",
    "Math.max(0, 1 - count * share)",
    "1",
  ]),
  ...of("prefix-cache/prefix-cache.ts", [
    "preferred endpoints",
    "this.#replicas.count > 1 ?",
    "false ?",
  ]),
  ...of("prefix-cache/preferred-endpoint.ts", [
    "full preferred endpoints",
    "withCapacity(candidates, Math.min(longQueueTokens, elsewhere))",
    "candidates",
  ]),
  ...of(
    "dispatch/wait-for-cheaper.ts",
    ["waiting for a cheaper server", "if (!(saved >= stepTokens)) return false;", "return false;"],
    ["slots of cheaper servers", "(until.get(endpoint) ?? 0) / msPerToken", "0"],
    ["second question", "if (isNew) return false;", "return false;"],
  ),
  ...of(
    "server-model/estimated-concurrency.ts",
    ["doubled tries", "this.#tried *= 2", "this.#tried *= 1"],
    ["steps beyond slots", "isQueue || isBeyond", "isQueue"],
    ["unused tries", "(through === 1 || this.#isUnused(load, at))", "through === 1"],
    ["tries taken back", "this.#isTry && (", "false && ("],
    ["slots not wanted", "if (isKnown && !isWanted) return false;", ""],
    ["slots of idle servers", "if (!this.#limitSeen && !isWanted)", "if (false)"],
  ),
  ...of("dispatch/pool-snapshot.ts", [
    "spared busy servers",
    "sparesBusy && computesPrompts && live.streamedTokens >= stepTokens",
    "false",
  ]),
  ...of(
    "dispatch/server.ts",
    [
      "unused slots of other pickers",
      "part + Math.floor(Math.max(0, slots - part - reading.external) / 2)",
      "part",
    ],
    [
      "prefills of other pickers",
      "pickers > 1 ? open : prefillingOf(live, metrics)",
      "prefillingOf(live, metrics)",
    ],
  ),
];

/** All terms that can be removed. */
export const terms: readonly string[] = [...removedRules, ...neutralConstants].map(
  ({ term }) => term,
);

/**
 * Returns the rules and constants of a list with commas, of terms or `CONSTANT=VALUE`.
 * @throws Error if there is no such term or constant, or if the value is not a number
 */
export function removals(list: string): {
  readonly rules: readonly RemovedRule[];
  readonly constants: ReadonlyArray<Pick<NeutralConstant, "constant" | "value">>;
} {
  const names = list.split(",").filter((name) => name !== "");
  const given = names.filter((name) => name.includes("=")).map(constantOf);
  const named = new Set(names.filter((name) => !name.includes("=")));
  const unknown = [...named].filter((name) => !terms.includes(name));
  if (unknown.length > 0) throw new Error(`no rule ${unknown.join(", ")}; there are: ${terms}`);
  return {
    rules: removedRules.filter(({ term }) => named.has(term)),
    constants: [...neutralConstants.filter(({ term }) => named.has(term)), ...given],
  };
}

function constantOf(text: string): Pick<NeutralConstant, "constant" | "value"> {
  const [name = "", written = ""] = text.split("=");
  const value = Number(written);
  if (!Object.hasOwn(constants, name) || written === "" || Number.isNaN(value))
    throw new Error(`${text}: write the name of a constant, = and a number`);
  return { constant: name as ConstantName, value };
}
