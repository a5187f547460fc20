/** Memory for keys and values of sequences on one device. */

import type { Attention, Layer, LinearAttention, ModelFacts } from "../models/model-facts.ts";
import { type Layout, ranksOf, stagesOf } from "./layout.ts";

/** Data type of the KV cache. `auto` is the data type of the model, 2 bytes. */
export type KeyValueType = "auto" | "fp8";

export interface KeyValueOptions {
  readonly type?: KeyValueType;
  /**
   * Tokens that layers with a window keep in addition to the window, because an engine writes the tokens of a step
   * before it drops old tokens. Default: 0.
   */
  readonly stepTokens?: number;
  /** Whether layers with a window keep the whole sequence. Default: false. */
  readonly wholeWindows?: boolean;
  /** Copies of a linear layer's state that the engine keeps for each sequence. Default: 1. */
  readonly stateCopies?: number;
  /** Whether the layers for speculative decoding keep keys and values as well. Default: false. */
  readonly draft?: boolean;
}

/**
 * Returns the bytes for one more token of a long sequence, on the device that stores the most. Windows are already
 * full.
 */
export const keyValueBytesPerToken = (
  model: ModelFacts,
  layout: Layout,
  { type = "auto", wholeWindows = false, draft = false }: KeyValueOptions = {},
): number =>
  worstStage(model, layout, draft, (mixer, ranks) => {
    if (mixer.kind === "linear") return 0;
    if (mixer.kind === "grouped" && mixer.window !== undefined && !wholeWindows) return 0;
    return tokenBytes(mixer, ranks, type);
  });

/** Returns the bytes of a sequence with this number of tokens, on the device that stores the most. */
export const keyValueBytesPerSequence = (
  model: ModelFacts,
  layout: Layout,
  tokens: number,
  {
    type = "auto",
    stepTokens = 0,
    wholeWindows = false,
    stateCopies = 1,
    draft = false,
  }: KeyValueOptions = {},
): number =>
  worstStage(model, layout, draft, (mixer, ranks) => {
    if (mixer.kind === "linear")
      return (mixer.stateBytes * stateCopies) / Math.min(ranks, mixer.heads);
    const window = mixer.kind === "grouped" ? mixer.window : undefined;
    const kept =
      window === undefined || wholeWindows ? tokens : Math.min(tokens, window + stepTokens);
    const compressed =
      mixer.kind === "compressed"
        ? Math.min(tokens, mixer.window + stepTokens) * entryBytes(mixer.headSize, type)
        : 0;
    return kept * tokenBytes(mixer, ranks, type) + compressed;
  });

function worstStage(
  model: ModelFacts,
  layout: Layout,
  draft: boolean,
  bytes: (mixer: Attention | LinearAttention, ranks: number) => number,
): number {
  if (model.encoder) return 0;
  const { attention, stages } = ranksOf(layout);
  const layerBytes = ({ mixer }: Layer) => (mixer === undefined ? 0 : bytes(mixer, attention));
  const drafts = draft ? model.draftLayers * bytes(model.attention, attention) : 0;
  return Math.max(
    ...stagesOf(model.stack, stages).map((stage, at) =>
      stage.reduce((total, layer) => total + layerBytes(layer), at === stages - 1 ? drafts : 0),
    ),
  );
}

const width = (type: KeyValueType) => (type === "fp8" ? 1 : 2);

/** Bytes of an entry of sparse attention in FP8: with scales, and rotary columns in 16 bits. */
const sparseEntry = 656;

function tokenBytes(mixer: Attention, ranks: number, type: KeyValueType): number {
  switch (mixer.kind) {
    case "grouped": {
      const { keyValueHeads, headSize, valueSize = headSize } = mixer;
      // If there are fewer heads than ranks, heads are copied.
      return Math.max(1, keyValueHeads / ranks) * (headSize + valueSize) * width(type);
    }
    case "latent": {
      const { keyValueRank, rotarySize, indexer } = mixer;
      // Every rank stores all compressed keys and values.
      const entry = (keyValueRank + rotarySize) * width(type);
      if (indexer === undefined) return entry;
      return (type === "fp8" ? sparseEntry : entry) + indexerEntry(indexer.headSize);
    }
    case "compressed": {
      const { ratio, headSize, indexer } = mixer;
      if (ratio === 0) return 0;
      const index = indexer === undefined ? 0 : indexerEntry(indexer.headSize);
      return (entryBytes(headSize, type) + index) / ratio;
    }
  }
}

/** Keys of the indexer are in FP8, with a scale of 4 bytes. */
const indexerEntry = (headSize: number) => headSize + 4;

/** Keys and values are one vector in DeepSeek V4; its 64 rotary columns stay in 16 bits, with 8 bytes of scales. */
const entryBytes = (headSize: number, type: KeyValueType) =>
  type === "fp8" ? headSize + 64 + 8 : headSize * 2;
