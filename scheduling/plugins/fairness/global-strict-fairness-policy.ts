import { Heap, type HeapEntry } from "../../flow-control/heap.ts";
import type { BandFairness, FairFlow } from "../../flow-control/policies.ts";
import { pluginType } from "../../profiles/plugin.ts";

export const globalStrictFairnessPolicy = pluginType({
  type: "global-strict-fairness-policy",
  kinds: ["fairness"],
  summary: "No fairness: the flows of a band are one queue, ordered by the ordering policy.",
  create: () => ({ fairness: { forBand: globalStrict } }),
});

function globalStrict(): BandFairness {
  const byRank = flowsInOrder(({ first, firstRank }) => first && [firstRank, first.sequence]);
  const byArrival = flowsInOrder(({ oldest }) => oldest && [oldest.sequence, 0]);
  return {
    ignoresFlows: true,
    headChanged(flow) {
      byRank.changed(flow);
      byArrival.changed(flow);
    },
    pick: (_, takesOldest) => (takesOldest ? byArrival : byRank).next(),
    dispatched() {},
    passed() {},
    completed() {},
    forget() {},
  };
}

/** Flows with requests, ordered by the keys of one of their requests. */
function flowsInOrder(keysOf: (flow: FairFlow) => readonly [number, number] | undefined) {
  const flows = new Heap<FairFlow>();
  const places = new Map<FairFlow, HeapEntry<FairFlow>>();
  return {
    next: () => flows.first?.item,
    changed(flow: FairFlow) {
      const keys = keysOf(flow);
      const place = places.get(flow);
      if (keys === undefined) {
        if (place !== undefined) flows.remove(place);
        places.delete(flow);
      } else if (place === undefined) places.set(flow, flows.add(flow, ...keys));
      else flows.move(place, ...keys);
    },
  };
}
