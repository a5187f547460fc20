import type { Capacity } from "../../scheduling/flow-control/capacity.ts";

/** A capacity with a number of slots, each used once. */
export const slots = (count: number): Capacity => {
  let left = count;
  return {
    saturation: () => 0,
    size: () => ({ endpoints: 1, slots: left }),
    freeSlots: () => left,
    take() {
      left -= 1;
      return true;
    },
  };
};
