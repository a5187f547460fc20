import { type ConstantName, constants } from "../../../scheduling/load-constants.ts";

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
  // Not infinite, because no arrivals times infinity is not a number.
  { term: "seconds per copy", constant: "copyAmortizationSeconds", value: 1e9 },
  { term: "speed of the pool", constant: "assumedTokens", value: 1e12 },
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

/** All terms whose constants can be made neutral. */
export const terms: readonly string[] = neutralConstants.map(({ term }) => term);

type Setting = Pick<NeutralConstant, "constant" | "value">;

/**
 * Returns the constants of a list with commas, of terms or `CONSTANT=VALUE`.
 * @throws Error if there is no such term or constant, or if the value is not a number
 */
export function settings(list: string): readonly Setting[] {
  const names = list.split(",").filter((name) => name !== "");
  return names.map((name) => {
    if (name.includes("=")) return constantOf(name);
    const known = neutralConstants.find(({ term }) => term === name);
    if (known === undefined) throw new Error(`no rule ${name}; there are: ${terms.join(", ")}`);
    return known;
  });
}

function constantOf(text: string): Setting {
  const [name = "", written = ""] = text.split("=");
  const value = Number(written);
  if (!Object.hasOwn(constants, name) || written === "" || Number.isNaN(value))
    throw new Error(`${text}: write the name of a constant, = and a number`);
  return { constant: name as ConstantName, value };
}
