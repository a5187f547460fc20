import { z } from "zod";
import type { PoolCeilings } from "../flow-control/policies.ts";
import { constants } from "../load-constants.ts";
import { pluginType } from "../plugin.ts";

const { bandMemory, rareBand } = constants;

interface Parameters {
  readonly findSlot: number;
  readonly used: number;
  readonly most: number;
}

/**
 * When all slots are in use a request of a high band waits for the next one, and has no choice among engines: it goes to the
 * one whose step has just begun, and shares its steps with as many others as the engine takes. On an engine that works on few,
 * and computes no other prompts, it answers nearly as soon as alone.
 */
export const slotReservePolicy = pluginType({
  type: "slot-reserve-policy",
  kinds: ["ceilings"],
  summary:
    "While a pool is full, leaves slots to higher bands on as few servers as possible, so that their requests neither wait for one nor run among many others: as many as their share of the last requests asks for. Only this picker has it.",
  parameters: z.strictObject({
    findSlot: z
      .number()
      .min(0)
      .lt(1)
      .default(0.95)
      .describe(
        "Share of the requests of higher bands that find a free slot, where they come independently of each other.",
      ),
    used: z
      .number()
      .gt(0)
      .max(1)
      .default(0.5)
      .describe(
        "Part of the slots left to higher bands that these use; with less of it servers work on fewer requests at once, and answer sooner.",
      ),
    most: z
      .number()
      .min(0)
      .lt(1)
      .default(0.17)
      .describe("Part of all slots that is left unused for higher bands at most."),
  }),
  create: (parameters) => ({ ceilings: { forPool: () => slotReserve(parameters) } }),
});

function slotReserve({ findSlot, used, most }: Parameters): PoolCeilings {
  /** How many of the last requests were of each priority. */
  const counts = new Map<number, number>();
  let total = 0;
  /** Every request that ends leaves its slot to them until as many are free again. */
  const toFindOne = (share: number) =>
    share === 1 ? Number.POSITIVE_INFINITY : Math.ceil(Math.log(1 - findSlot) / Math.log(share));
  return {
    ceilings: (_, priorities) => priorities.map(() => 1),
    reserves(priorities, { slots }) {
      let higher = 0;
      return priorities.map((priority) => {
        const share = Math.min(1, higher / total);
        higher += counts.get(priority) ?? 0;
        if (!(share >= rareBand)) return undefined;
        const least = Math.min(most, toFindOne(share) / slots);
        const free = Math.min(most, 1 - share, Math.max(least, share / used - share));
        return { used: share, free, least, most };
      });
    },
    dispatched(priority) {
      const kept = 1 - 1 / bandMemory;
      for (const [each, count] of counts) counts.set(each, count * kept);
      counts.set(priority, (counts.get(priority) ?? 0) + 1);
      total = total * kept + 1;
    },
  };
}
