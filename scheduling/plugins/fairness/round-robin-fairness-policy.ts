import type { BandFairness, FairFlow } from "../../flow-control/policies.ts";
import { pluginType } from "../../profiles/plugin.ts";

export const roundRobinFairnessPolicy = pluginType({
  type: "round-robin-fairness-policy",
  kinds: ["fairness"],
  summary:
    "Flows of a band take turns in the order of their names, one request each, regardless of size.",
  create: () => ({ fairness: { forBand: roundRobin } }),
});

function roundRobin(): BandFairness {
  /** Flows that have requests, in order of their names. */
  const ring: FairFlow[] = [];
  let last: string | undefined;
  /** Returns the number of flows in the ring with names below `id`, or up to and including it. */
  const upTo = (id: string, isIncluded: boolean): number => {
    let [from, to] = [0, ring.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      const { id: there } = ring[middle] as FairFlow;
      if (there < id || (isIncluded && there === id)) from = middle + 1;
      else to = middle;
    }
    return from;
  };
  return {
    headChanged(flow) {
      const at = upTo(flow.id, false);
      const isThere = ring[at] === flow;
      if (flow.head === undefined && isThere) ring.splice(at, 1);
      if (flow.head !== undefined && !isThere) ring.splice(at, 0, flow);
    },
    pick: () => (last === undefined ? ring[0] : (ring[upTo(last, true)] ?? ring[0])),
    dispatched(flow) {
      last = flow.id;
    },
    completed() {},
    emptied() {
      last = undefined;
    },
    forget() {},
  };
}
