import { z } from "zod";
import type { PoolCeilings } from "../flow-control/policies.ts";
import { pluginType } from "../plugin.ts";

/** Requests over which it is learnt how many are of which band, the older ones less. */
const memory = 500;

/** Share of requests below which those of higher bands are too rare for a slot to be left unused for them. */
const rare = 0.01;

interface Parameters {
  readonly findSlot: number;
  readonly slotsPerEndpoint: number;
  readonly most: number;
}

/**
 * When all slots are in use a request of a high band waits for the next one, and has no choice among engines: it goes to the
 * one whose step has just begun. A slot that is left unused lets it go at once, to the engine that has least to compute.
 */
export const slotReservePolicy = pluginType({
  type: "slot-reserve-policy",
  kinds: ["ceilings"],
  summary:
    "Leaves slots to higher bands, so that their requests neither wait for one nor have to take the first that comes free: as many as their share of the last requests asks for. Only this picker has it.",
  parameters: z.strictObject({
    findSlot: z
      .number()
      .min(0)
      .lt(1)
      .default(0.95)
      .describe(
        "Share of the requests of higher bands that find a free slot, where they come independently of each other.",
      ),
    slotsPerEndpoint: z
      .number()
      .min(0)
      .default(1)
      .describe(
        "Slots for each endpoint so that they have a choice; no larger a part of all slots than they have of the requests.",
      ),
    most: z
      .number()
      .min(0)
      .lt(1)
      .default(0.125)
      .describe("Part of all slots that is left to higher bands at most."),
  }),
  create: (parameters) => ({ ceilings: { forPool: () => slotReserve(parameters) } }),
});

function slotReserve({ findSlot, slotsPerEndpoint, most }: Parameters): PoolCeilings {
  /** How many of the last requests were of each priority. */
  const counts = new Map<number, number>();
  let total = 0;
  /** Every request that ends leaves its slot to them until as many are free again. */
  const toFindOne = (share: number) =>
    share === 1 ? Number.POSITIVE_INFINITY : Math.ceil(Math.log(1 - findSlot) / Math.log(share));
  return {
    dispatched(priority) {
      const kept = 1 - 1 / memory;
      for (const [each, count] of counts) counts.set(each, count * kept);
      counts.set(priority, (counts.get(priority) ?? 0) + 1);
      total = total * kept + 1;
    },
    ceilings(_, priorities, { endpoints, slots }) {
      let higher = 0;
      return priorities.map((priority) => {
        const share = Math.min(1, higher / total);
        higher += counts.get(priority) ?? 0;
        if (!(share >= rare)) return 1;
        const forChoice = Math.min(slotsPerEndpoint * endpoints, share * slots);
        const reserved = Math.floor(Math.min(Math.max(toFindOne(share), forChoice), most * slots));
        // It is between two numbers of slots in use, so that rounding does not matter.
        return reserved === 0 ? 1 : 1 - (reserved + 0.5) / slots;
      });
    },
  };
}
