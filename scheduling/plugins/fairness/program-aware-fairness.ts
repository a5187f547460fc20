import { z } from "zod";
import type { BandFairness, FairFlow } from "../../flow-control/policies.ts";
import { limits } from "../../limits.ts";
import { pluginType } from "../../profiles/plugin.ts";
import { amount } from "../parameter-types.ts";

/** Cost of a completion token, in prompt tokens (llm-d-router, program-aware/strategy_las.go). */
const completionCost = 2;

/** Service that a program received in all bands. */
interface Service {
  /** Tokens times their weight. */
  tokens: number;
  /** Time at which its last response ended. */
  at: number;
  /** Number of its in-flight requests, plus number of bands in which it has queued requests. */
  uses: number;
}

/** A flow with queued requests, and the arrival time of its first one. */
interface Waiter {
  readonly flow: FairFlow;
  readonly service: Service;
  since: number;
}

/** Number of doublings of a token's weight after which all numbers are scaled down, so that they remain finite. */
const mostHalfLives = 500;

export const programAwareFairness = pluginType({
  type: "program-aware-fairness",
  kinds: ["fairness"],
  summary:
    "Prefers the flow that received the least service recently and whose first request has waited longest (least attained service).",
  parameters: z.strictObject({
    strategy: z
      .string()
      .default("las")
      .describe("Only las is supported; any other value is treated as las."),
    lasWeightService: amount.default(0.8).describe("Weight of little service."),
    lasWeightHeadWait: amount.default(0.2).describe("Weight of the wait of the first request."),
    lasHalfLifeSeconds: amount
      .default(60)
      .describe("Half-life of a served token, in seconds. 0: it counts forever."),
    evictionTtlSeconds: amount
      .default(3600)
      .describe("Time after which a program without requests is forgotten, in seconds. 0: never."),
    evictionSweepSeconds: z
      .number()
      .positive()
      .default(300)
      .describe("Not used: programs are forgotten when their time is up."),
  }),
  warnings: ({ strategy }) =>
    strategy === "las" || strategy === ""
      ? []
      : [`strategy ${strategy} of program-aware-fairness is not supported: las is used`],
  create(parameters) {
    const { lasWeightService, lasWeightHeadWait, lasHalfLifeSeconds } = parameters;
    const halfLife = lasHalfLifeSeconds > 0 ? lasHalfLifeSeconds * 1_000 : Number.POSITIVE_INFINITY;
    const memory =
      parameters.evictionTtlSeconds > 0
        ? parameters.evictionTtlSeconds * 1_000
        : Number.POSITIVE_INFINITY;
    /** By program, in order of the end of the last response. */
    const services = new Map<string, Service>();

    const serviceOf = (id: string, now: number): Service => {
      const known = services.get(id);
      if (known !== undefined) return known;
      const service = { tokens: 0, at: now, uses: 0 };
      services.set(id, service);
      return service;
    };
    /**
     * Weight of a token that is served now, relative to a token at `epoch`. The weight of new tokens rises and the
     * weight of old tokens stays, so that nothing changes while no token is served.
     */
    let epoch = 0;
    const worth = (now: number): number => {
      const halfLives = (now - epoch) / halfLife;
      if (halfLives > mostHalfLives) {
        for (const service of services.values()) service.tokens *= 2 ** -halfLives;
        epoch = now;
        return 1;
      }
      return 2 ** halfLives;
    };
    const serve = (id: string, tokens: number, now: number) => {
      const service = serviceOf(id, now);
      service.tokens += tokens * worth(now);
      service.at = now;
      service.uses -= 1;
      services.delete(id);
      services.set(id, service);
    };
    const forgetOld = (now: number) => {
      let polls = 0;
      for (const [id, service] of services) {
        polls += 1;
        const isYoung = now - service.at <= memory;
        if (polls > 4 || (isYoung && services.size <= limits.idleFlows.value)) return;
        services.delete(id);
        if (service.uses > 0) services.set(id, service);
      }
    };

    const forBand = (): BandFairness => {
      const waiting = new Map<FairFlow, Waiter>();
      return {
        headChanged(flow, now) {
          const { head } = flow;
          const waiter = waiting.get(flow);
          if (head === undefined) {
            if (waiter !== undefined) waiter.service.uses -= 1;
            waiting.delete(flow);
          } else if (waiter === undefined) {
            const service = serviceOf(flow.id, now);
            service.uses += 1;
            waiting.set(flow, { flow, service, since: head.arrivedAt });
          } else waiter.since = head.arrivedAt;
        },
        pick(now) {
          let [leastServed, mostServed] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
          let [leastWait, mostWait] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
          for (const { service, since } of waiting.values()) {
            const wait = Math.trunc(now - since);
            leastServed = Math.min(leastServed, service.tokens);
            mostServed = Math.max(mostServed, service.tokens);
            leastWait = Math.min(leastWait, wait);
            mostWait = Math.max(mostWait, wait);
          }
          const perToken = lasWeightService / (mostServed - leastServed || 1);
          const perMillisecond = lasWeightHeadWait / (mostWait - leastWait || 1);
          let best: FairFlow | undefined;
          let most = Number.NEGATIVE_INFINITY;
          for (const { flow, service, since } of waiting.values()) {
            const score =
              (mostServed - service.tokens) * perToken +
              (Math.trunc(now - since) - leastWait) * perMillisecond;
            if (score <= most) continue;
            best = flow;
            most = score;
          }
          return best;
        },
        dispatched({ id }, _, now) {
          serviceOf(id, now).uses += 1;
        },
        completed({ id }, _, { promptTokens = 0, completionTokens = 0 }, now) {
          serve(id, promptTokens + completionCost * completionTokens, now);
          forgetOld(now);
        },
        forget() {},
      };
    };
    return { fairness: { forBand } };
  },
});
