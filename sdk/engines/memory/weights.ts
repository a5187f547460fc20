/** Weights on one device. */

import type { Layer, ModelFacts } from "../models/model-facts.ts";
import { bytesOf, type Part, partsOf } from "../models/parameters.ts";
import { type Layout, type Ranks, ranksOf, stagesOf } from "./layout.ts";

export interface WeightOptions {
  /** Whether the engine also loads the layers for speculative decoding. Default: false. */
  readonly draft?: boolean;
  /**
   * Bytes of a linear layer's weight if the engine quantizes a checkpoint on loading, for example 1 for
   * `--quantization fp8`. Default: as in the checkpoint.
   */
  readonly quantizedOnLoading?: number;
  /** Multiple to which the engine pads the hidden size of experts in MXFP4. Default: 1. */
  readonly expertStep?: number;
}

/** Vocabularies are padded to a multiple of this number of rows. */
const vocabularyStep = 64;

/** Returns the bytes of weights on the device with the most of them. */
export function weightBytesPerDevice(
  model: ModelFacts,
  layout: Layout,
  { draft = false, quantizedOnLoading, expertStep = 1 }: WeightOptions = {},
): number {
  const ranks = ranksOf(layout);
  const { hidden, vocabulary, tied, vision = 0, others, weights } = model;
  const padding = (Math.ceil(hidden / expertStep) * expertStep) / hidden;
  const layerBytes = (layer: Layer) =>
    partsOf(model, layer).reduce((total, part) => {
      const bytes = bytesOf(model, part);
      const stored =
        quantizedOnLoading !== undefined && part.quantized ? quantizedOnLoading : bytes;
      const isPadded =
        part.quantized === "experts" && weights.quantized.experts?.method === "mxfp4";
      const parameters = parametersPerRank(part, layer, ranks, layout);
      return total + parameters * Math.min(bytes, stored) * (isPadded ? padding : 1);
    }, 0);
  const rows = Math.ceil(vocabulary / vocabularyStep) * vocabularyStep;
  // With attention copies, embeddings are also divided over the attention ranks.
  const matrix = (rows / ranks.dense) * hidden;
  const head = matrix * (weights.quantized.head?.bytes ?? 2);
  const stages = stagesOf(model.stack, ranks.stages);
  const drafts = draft ? draftBytes(model, layerBytes) : 0;
  const sizes = stages.map((stage, at) => {
    const isFirst = at === 0;
    const isLast = at === stages.length - 1;
    return (
      stage.reduce((total, layer) => total + layerBytes(layer), 0) +
      (isFirst ? matrix * 2 + (vision / ranks.dense + others) * 2 : 0) +
      (isLast ? (tied && isFirst ? 0 : head) + drafts : 0)
    );
  });
  return Math.max(...sizes);
}

/** A layer for speculative decoding is a copy of the last layer, with a projection of two hidden states. */
function draftBytes(model: ModelFacts, layerBytes: (layer: Layer) => number): number {
  const last = model.stack.at(-1);
  return last === undefined
    ? 0
    : model.draftLayers * (layerBytes(last) + 2 * model.hidden ** 2 * 2);
}

function parametersPerRank(part: Part, layer: Layer, ranks: Ranks, layout: Layout): number {
  switch (part.share) {
    case "none":
      return part.parameters;
    case "experts": {
      if (layout.expertParallel !== true) return part.parameters / ranks.experts;
      const routed = layer.experts?.routed ?? 1;
      // The rank with the most experts determines the bytes.
      return (part.parameters / routed) * Math.ceil(routed / ranks.experts);
    }
    case "keyValueHeads": {
      const heads = part.heads ?? 1;
      // If there are fewer heads than ranks, heads are copied.
      return part.parameters * Math.max(1 / ranks.attention, 1 / heads);
    }
    case "columns":
      if (part.shared) return part.parameters / ranks.sharedExpert;
      return part.parameters / (part.quantized === "dense" ? ranks.dense : ranks.attention);
  }
}
