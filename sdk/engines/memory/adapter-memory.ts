/** Memory that an engine reserves for adapters. */

import type { Layer, ModelFacts } from "../models/model-facts.ts";
import { type Layout, ranksOf, stagesOf } from "./layout.ts";

/** Slots for adapters: `--max-loras` and `--max-lora-rank` of vLLM. */
export interface AdapterSlots {
  readonly slots: number;
  readonly rank: number;
}

/**
 * Returns the bytes of all slots on one device, in 16 bits. The engine reserves both matrices of each linear layer for
 * each slot, at the highest rank. The matrix next to the whole hidden state is on every device, and the other matrix is
 * divided. vllm-project/vllm#20160.
 */
export function adapterBytes(
  model: ModelFacts,
  layout: Layout,
  { slots, rank }: AdapterSlots,
): number {
  const { attention: ranks, experts: expertRanks, stages } = ranksOf(layout);
  const { hidden } = model;
  const columns = ({ mixer, experts, dense }: Layer): number => {
    const attention =
      mixer?.kind === "grouped"
        ? 4 * hidden +
          (2 * mixer.heads * mixer.headSize + 2 * mixer.keyValueHeads * mixer.headSize) / ranks
        : 0;
    const feedForward =
      experts === undefined
        ? dense === undefined
          ? 0
          : 3 * hidden + (3 * dense.width) / ranks
        : (experts.routed * 3 * (hidden + experts.width)) / expertRanks;
    return attention + feedForward;
  };
  const sizes = stagesOf(model.stack, stages).map((stage) =>
    stage.reduce((total, layer) => total + columns(layer), 0),
  );
  return Math.max(...sizes) * slots * rank * 2;
}
