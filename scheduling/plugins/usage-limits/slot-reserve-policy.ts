import { z } from "zod";
import type { PoolCeilings } from "../../flow-control/policies.ts";
import { constants } from "../../load-constants.ts";
import { pluginType } from "../../plugin.ts";

const { bandMemory, rareBand } = constants;

interface Parameters {
  readonly freeSlotProbability: number;
  readonly reservedUtilization: number;
  readonly maxReservedShare: number;
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
    "While a pool is full, reserves slots for higher bands on as few servers as possible. Requests of higher bands then do not wait, and share servers with few other requests. The number of slots follows the bands' share of recent requests. Only this picker has this policy.",
  parameters: z.strictObject({
    freeSlotProbability: z
      .number()
      .min(0)
      .lt(1)
      .default(0.95)
      .describe(
        "Share of higher bands' requests that find a free slot, if they arrive independently of each other.",
      ),
    reservedUtilization: z
      .number()
      .gt(0)
      .max(1)
      .default(0.5)
      .describe(
        "Share of the reserved slots that requests of higher bands use. A lower share reserves more slots, so these servers run fewer requests together and respond faster.",
      ),
    maxReservedShare: z
      .number()
      .min(0)
      .lt(1)
      .default(0.17)
      .describe("Largest share of all slots to keep free for higher bands."),
  }),
  create: (parameters) => ({ ceilings: { forPool: () => slotReserve(parameters) } }),
});

function slotReserve({
  freeSlotProbability,
  reservedUtilization,
  maxReservedShare,
}: Parameters): PoolCeilings {
  /** How many of the last requests were of each priority. */
  const counts = new Map<number, number>();
  let total = 0;
  /** Every request that ends leaves its slot to them until as many are free again. */
  const toFindOne = (share: number) =>
    share === 1
      ? Number.POSITIVE_INFINITY
      : Math.ceil(Math.log(1 - freeSlotProbability) / Math.log(share));
  return {
    ceilings: (_, priorities) => priorities.map(() => 1),
    reserves(priorities, { slots }) {
      let higher = 0;
      return priorities.map((priority) => {
        const share = Math.min(1, higher / total);
        higher += counts.get(priority) ?? 0;
        if (!(share >= rareBand)) return undefined;
        const most = maxReservedShare;
        const least = Math.min(most, toFindOne(share) / slots);
        const free = Math.min(
          most,
          1 - share,
          Math.max(least, share / reservedUtilization - share),
        );
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
