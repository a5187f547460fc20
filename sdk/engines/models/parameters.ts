/** Parameters of a model, in parts that engines store and divide in the same way. */

import type { Attention, Layer, LinearAttention, ModelFacts } from "./model-facts.ts";
import type { QuantizedPart } from "./quantization.ts";

/** How ranks of tensor parallelism share a part: by columns, by key and value heads, by experts, or not. */
export type Share = "columns" | "keyValueHeads" | "experts" | "none";

/** Parameters of one layer that are stored and divided in the same way. */
export interface Part {
  /** Undefined for a part that no checkpoint quantizes: routers, norms, indexers. */
  readonly quantized?: QuantizedPart;
  readonly share: Share;
  readonly parameters: number;
  /** Number of key and value heads, if they divide the part. */
  readonly heads?: number;
  /** Whether the part is an expert that every token uses. */
  readonly shared?: boolean;
}

/** Returns the parameters of a model, without its norms and layers for speculative decoding. */
export const parametersOf = (model: ModelFacts): number =>
  embeddingsOf(model) +
  (model.vision ?? 0) +
  model.others +
  sum(model.stack.map((layer) => sum(partsOf(model, layer).map((part) => part.parameters))));

/** Returns the bytes of a model's weights; embeddings are never quantized. */
export const weightBytes = (model: ModelFacts): number =>
  (embeddingsOf(model) + (model.vision ?? 0) + model.others) * 2 +
  sum(
    model.stack.map((layer) =>
      sum(partsOf(model, layer).map((part) => part.parameters * bytesOf(model, part))),
    ),
  );

/** Returns the bytes of a weight of a part, with scales. */
export const bytesOf = (model: ModelFacts, { quantized }: Part): number =>
  (quantized && model.weights.quantized[quantized]?.bytes) ?? 2;

/** Parameters of input and output embeddings. */
export const embeddingsOf = ({ vocabulary, hidden, tied }: ModelFacts): number =>
  vocabulary * hidden * (tied ? 1 : 2);

const known = new WeakMap<Layer, Part[]>();

/** Returns the parts of one layer. */
export function partsOf({ hidden }: ModelFacts, layer: Layer): Part[] {
  const parts = known.get(layer);
  if (parts !== undefined) return parts;
  const { mixer, dense, experts } = layer;
  const made: Part[] = [];
  if (mixer !== undefined) made.push(...mixerParts(mixer, hidden));
  if (dense !== undefined)
    made.push({
      ...{ quantized: "dense", share: "columns" },
      parameters: dense.matrices * hidden * dense.width,
    });
  if (experts !== undefined) {
    const { routed, shared, width, matrices, inputs } = experts;
    made.push({
      ...{ quantized: "experts", share: "experts" },
      parameters: routed * matrices * (inputs ?? hidden) * width,
    });
    made.push({ share: "none", parameters: routed * hidden });
    if (inputs !== undefined) made.push({ share: "none", parameters: 2 * inputs * hidden });
    if (shared > 0)
      made.push({
        ...{ quantized: "shared", share: "columns", shared: true },
        parameters: shared * matrices * hidden * width,
      });
  }
  known.set(layer, made);
  return made;
}

function mixerParts(mixer: Attention | LinearAttention, hidden: number): Part[] {
  const columns = (parameters: number): Part => ({
    ...{ quantized: "attention", share: "columns", parameters },
  });
  const whole = (parameters: number): Part => ({
    ...{ quantized: "attention", share: "none", parameters },
  });
  const output = (parameters: number): Part => ({
    ...{ quantized: "attentionOutput", share: "columns", parameters },
  });
  switch (mixer.kind) {
    case "grouped": {
      const { heads, keyValueHeads, headSize, valueSize = headSize, gate } = mixer;
      const { sharedValues = false, bias = false } = mixer;
      const queries = heads * headSize * (gate ? 2 : 1);
      const keys = keyValueHeads * (headSize + (sharedValues ? 0 : valueSize));
      return [
        columns(hidden * queries + (bias ? queries : 0)),
        {
          ...{ quantized: "attention", share: "keyValueHeads", heads: keyValueHeads },
          parameters: hidden * keys + (bias ? keys : 0),
        },
        output(hidden * heads * valueSize),
      ];
    }
    case "latent": {
      const { heads, queryRank, keyValueRank, plainSize, rotarySize, valueSize, indexer } = mixer;
      const queries = heads * (plainSize + rotarySize);
      return [
        whole(hidden * (queryRank + keyValueRank + rotarySize)),
        columns((queryRank || hidden) * queries + keyValueRank * heads * (plainSize + valueSize)),
        output(heads * valueSize * hidden),
        ...indexerParts(indexer, queryRank, hidden, hidden * (indexer?.headSize ?? 0)),
      ];
    }
    case "compressed": {
      const { heads, headSize, queryRank, outputRank, outputGroups, ratio, indexer } = mixer;
      // Entries of few tokens overlap, so that each needs two projections.
      const entries = ratio === 0 ? 0 : ratio < 16 ? 4 : 2;
      return [
        whole(hidden * (queryRank + headSize)),
        columns(queryRank * heads * headSize + heads * headSize * outputRank),
        output(outputGroups * outputRank * hidden),
        { share: "none", parameters: hidden * headSize * entries },
        ...indexerParts(indexer, queryRank, hidden, hidden * (indexer?.headSize ?? 0) * entries),
      ];
    }
    case "linear":
      return [{ ...{ quantized: "linear", share: "columns" }, parameters: mixer.parameters }];
  }
}

function indexerParts(
  indexer: { heads: number; headSize: number } | undefined,
  queryRank: number,
  hidden: number,
  keys: number,
): Part[] {
  if (indexer === undefined) return [];
  const queries = queryRank * indexer.heads * indexer.headSize;
  return [{ share: "none", parameters: queries + keys + hidden * indexer.heads }];
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
