import type { Connector } from "./connector.ts";

/** Engines with shared storage: the prefiller writes the blocks, and the decoder finds them by the prompt. */
export const sharedStorage: Connector = {
  order: "prefill-first",
  oneToken: true,
  legs: () => ({ prefill: {}, decode: () => ({}) }),
};
