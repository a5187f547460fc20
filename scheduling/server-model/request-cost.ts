import type { LiveState } from "../endpoints/endpoint.ts";
import { constants } from "../load-constants.ts";
import { slotTokens } from "./cost.ts";
import { tokensAhead } from "./endpoint-load.ts";

const { oneStepPrompt, requestTokens } = constants;

/** Facts about a request and an endpoint that determine the request's cost there. */
interface CostInputs {
  /** Prompt tokens that the endpoint has to compute; 0 if one engine step computes the prompt anyway. */
  readonly uncachedTokens: number;
  /** Cost of an uncached token, in tokens. */
  readonly price: number;
  /** Cost of the cache space of another copy of the prefix, in tokens. */
  readonly duplicationPenalty: number;
  /** Requests on the endpoint, and the cost of each besides its prompt, in tokens. */
  readonly requests: number;
  readonly requestTokens: number;
  /** Slots that the endpoint has to free before the request can run. */
  readonly slots: number;
  /** Time in which a server of the pool computes a prompt token, in ms. */
  readonly msPerToken: number;
}

/** Parts of the cost of a request on an endpoint, in prompt tokens. */
interface RequestCost {
  /** Uncached tokens of the request, multiplied by their price and the endpoint's slowness. */
  readonly uncached: number;
  /** Cache space of another copy of the prefix. */
  readonly duplication: number;
  /** Longer engine step of a slow endpoint. */
  readonly slowness: number;
  /** Prompt tokens of earlier requests, multiplied by the endpoint's slowness. */
  readonly ahead: number;
  /** Overhead of the requests on the endpoint. */
  readonly requests: number;
  /** Wait for a free slot. */
  readonly slots: number;
}

/** Returns the cost of a request on an endpoint, by part. */
export function costOf(live: LiveState, inputs: CostInputs): RequestCost {
  const { slowness } = live;
  return {
    uncached: slowness * inputs.price * inputs.uncachedTokens,
    duplication: inputs.duplicationPenalty,
    slowness: (slowness - 1) * oneStepPrompt,
    // Requests run longer on a slow server, so there are more of them already.
    ahead: slowness * tokensAhead(live),
    requests: inputs.requestTokens * inputs.requests,
    slots: slotTokens(live, inputs.msPerToken) * inputs.slots,
  };
}

/** Returns the sum of the parts, in grains of `requestTokens` tokens. At least 1. */
export function grainsOf(cost: RequestCost): number {
  const own = cost.uncached + cost.duplication + cost.slowness;
  const others = cost.ahead + cost.requests + cost.slots;
  // However little a copy costs, an endpoint that has a copy must score higher.
  return 1 + Math.ceil(own / requestTokens) + Math.floor(others / requestTokens);
}

/** Names of the parts. */
export const partNames = [
  "uncached",
  "duplication",
  "slowness",
  "ahead",
  "requests",
  "slots",
] as const satisfies ReadonlyArray<keyof RequestCost>;

/** Writes the parts of the endpoint at an index of a list, in the order of `partNames`. */
export function record(parts: number[], at: number, cost: RequestCost): void {
  const first = at * partNames.length;
  parts[first] = cost.uncached;
  parts[first + 1] = cost.duplication;
  parts[first + 2] = cost.slowness;
  parts[first + 3] = cost.ahead;
  parts[first + 4] = cost.requests;
  parts[first + 5] = cost.slots;
}
