import { z } from "zod";
import { Heap, type HeapEntry } from "../../flow-control/heap.ts";
import type { BandFairness, FairFlow } from "../../flow-control/policies.ts";
import { pluginType } from "../../plugin.ts";

export const globalStrictFairnessPolicy = pluginType({
  type: "global-strict-fairness-policy",
  kinds: ["fairness"],
  summary:
    "No fairness: dispatches the request that the ordering policy ranks first in the band, from any flow.",
  parameters: z.strictObject({}),
  create: () => ({ fairness: { forBand: globalStrict } }),
});

function globalStrict(): BandFairness {
  const heads = new Heap<FairFlow>();
  const places = new Map<FairFlow, HeapEntry<FairFlow>>();
  return {
    headChanged(flow) {
      const { head, headRank } = flow;
      const place = places.get(flow);
      if (head === undefined) {
        if (place !== undefined) heads.remove(place);
        places.delete(flow);
      } else if (place === undefined) places.set(flow, heads.add(flow, headRank, head.sequence));
      else heads.move(place, headRank, head.sequence);
    },
    pick: () => heads.first?.item,
    dispatched() {},
    passed() {},
    completed() {},
    forget() {},
  };
}
