import { z } from "zod";
import type { BandFairness, FairFlow } from "../flow-control/policies.ts";
import { limits } from "../limits.ts";
import { pluginType } from "../plugin.ts";

/** What a completion token costs, in prompt tokens (llm-d-router, program-aware/strategy_las.go). */
const completionCost = 2;

/** Tokens that a program was served, of which older ones count less. */
interface Service {
  tokens: number;
  at: number;
  inFlight: number;
}

const seconds = z.number().min(0);

export const programAwareFairness = pluginType({
  type: "program-aware-fairness",
  kinds: ["fairness"],
  summary:
    "The flow goes that was served least lately, and whose first request has waited for long (least attained service).",
  parameters: z.strictObject({
    strategy: z.literal("las").default("las"),
    lasWeightService: z.number().min(0).default(0.8).describe("What being served little counts."),
    lasWeightHeadWait: z.number().min(0).default(0.2).describe("What waiting counts."),
    lasHalfLifeSeconds: seconds
      .default(60)
      .describe("Seconds after which a served token counts half; 0: it counts for ever."),
    evictionTtlSeconds: seconds
      .default(3600)
      .describe("Seconds after which a program without requests is forgotten; 0: never."),
    evictionSweepSeconds: z
      .number()
      .positive()
      .default(300)
      .describe("Not used: programs are forgotten as their time comes."),
  }),
  create(parameters) {
    const { lasWeightService, lasWeightHeadWait, lasHalfLifeSeconds } = parameters;
    const halfLife = lasHalfLifeSeconds > 0 ? lasHalfLifeSeconds * 1_000 : Number.POSITIVE_INFINITY;
    const memory =
      parameters.evictionTtlSeconds > 0
        ? parameters.evictionTtlSeconds * 1_000
        : Number.POSITIVE_INFINITY;
    /** By program, in every band; the one whose last request ended first comes first. */
    const services = new Map<string, Service>();

    const tokensOf = (id: string, now: number): number => {
      const service = services.get(id);
      if (service === undefined) return 0;
      return service.tokens * 2 ** (-Math.max(0, now - service.at) / halfLife);
    };
    const touched = (id: string, now: number, inFlight: number, tokens: number) => {
      const before = services.get(id)?.inFlight ?? 0;
      const sum = tokensOf(id, now) + tokens;
      services.delete(id);
      services.set(id, { tokens: sum, at: now, inFlight: before + inFlight });
    };
    const forgetOld = (now: number) => {
      for (const [id, { at, inFlight }] of services) {
        const isOld = now - at > memory;
        if (!isOld && services.size <= limits.idleFlows.value) return;
        if (inFlight === 0) services.delete(id);
        else if (isOld) touched(id, now, 0, 0);
        else return;
      }
    };

    const forBand = (): BandFairness => {
      const waiting = new Set<FairFlow>();
      return {
        headChanged(flow) {
          if (flow.head === undefined) waiting.delete(flow);
          else waiting.add(flow);
        },
        pick(now) {
          const flows = [...waiting];
          const served = flows.map(({ id }) => tokensOf(id, now));
          const waits = flows.map(({ head }) => Math.trunc(now - (head?.arrivedAt ?? now)));
          const inRange = [served, waits].map(inRangeOf);
          const [ofService, ofWait] = inRange as [
            (value: number) => number,
            (value: number) => number,
          ];
          let best: FairFlow | undefined;
          let most = Number.NEGATIVE_INFINITY;
          flows.forEach((flow, at) => {
            const score =
              lasWeightService * (1 - ofService(served[at] as number)) +
              lasWeightHeadWait * ofWait(waits[at] as number);
            if (score > most) [best, most] = [flow, score];
          });
          return best;
        },
        dispatched: ({ id }, _, now) => touched(id, now, 1, 0),
        completed({ id }, _, { promptTokens = 0, completionTokens = 0 }, now) {
          touched(id, now, -1, promptTokens + completionCost * completionTokens);
          forgetOld(now);
        },
        forget() {},
      };
    };
    return { fairness: { forBand } };
  },
});

/** Maps the least of some values to 0 and the most to 1; all to a half where they are equal. */
function inRangeOf(values: readonly number[]): (value: number) => number {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  const range = most - least;
  return (value) => (range === 0 ? 0.5 : (value - least) / range);
}
