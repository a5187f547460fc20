import { z } from "zod";
import type { PoolCeilings } from "../../flow-control/policies.ts";
import { constants } from "../../load-constants.ts";
import { pluginType } from "../../profiles/plugin.ts";

const { rareBand, recentRequests } = constants;

interface Parameters {
  readonly freeSlotProbability: number;
  readonly reservedUtilization: number;
  readonly maxReservedShare: number;
}

/**
 * While all slots are in use, a request of a high band waits for the next free slot and has no choice of engines: it is
 * sent to the engine whose step has just begun, and shares its steps with as many requests as the engine accepts. On an
 * engine that runs few requests and computes no other prompts, it responds nearly as fast as alone.
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
  /** Number of recent requests per priority. Older requests count less. */
  const counts = new Map<number, number>();
  let total = 0;
  /**
   * Returns the number of slots to keep free so that a request of a higher band finds a free slot. Every request that
   * ends leaves its slot to these bands until this number is free again.
   */
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
      const kept = 1 - 1 / recentRequests;
      for (const [each, count] of counts) counts.set(each, count * kept);
      counts.set(priority, (counts.get(priority) ?? 0) + 1);
      total = total * kept + 1;
    },
  };
}
