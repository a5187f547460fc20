/** Division of a model over devices. */

/** Parallel sizes of one engine. Default: 1 each. */
export interface Layout {
  /** Devices that share each layer. */
  readonly tensor?: number;
  /** Stages of successive layers. */
  readonly pipeline?: number;
  /** Copies of the attention layers. Experts are divided over all copies together. */
  readonly data?: number;
  /** Whether each expert is on one device as a whole. */
  readonly expertParallel?: boolean;
  /**
   * Copies of the attention layers inside the tensor parallel group, as with SGLang's `--enable-dp-attention`. `data`
   * must then be 1.
   */
  readonly attentionCopies?: number;
}

/** Ranks that share each kind of part. */
export interface Ranks {
  readonly attention: number;
  readonly dense: number;
  readonly experts: number;
  readonly sharedExpert: number;
  readonly stages: number;
}

export function ranksOf(layout: Layout): Ranks {
  const {
    tensor = 1,
    pipeline = 1,
    data = 1,
    attentionCopies = 1,
    expertParallel = false,
  } = layout;
  const attention = Math.max(1, tensor / attentionCopies);
  const copies = data * attentionCopies;
  return {
    attention,
    dense: attention,
    experts: tensor * data,
    // With several copies of attention, each device stores the whole shared expert.
    sharedExpert: expertParallel && copies > 1 ? 1 : tensor,
    stages: pipeline,
  };
}

/** Returns the devices of a layout. */
export const devicesOf = ({ tensor = 1, pipeline = 1, data = 1 }: Layout): number =>
  tensor * pipeline * data;

/**
 * Returns the layers of each pipeline stage: as in vLLM, the middle stages get the remaining layers, the last of them
 * first.
 */
export function stageSizes(layers: number, stages: number): number[] {
  const sizes = Array.from({ length: stages }, () => Math.floor(layers / stages));
  const rest = layers % stages;
  for (let at = 0; at < rest; at++) {
    const stage = Math.max(0, stages - 2 - at);
    sizes[stage] = (sizes[stage] ?? 0) + 1;
  }
  return sizes;
}

/** Splits layers into pipeline stages. */
export function stagesOf<Item>(layers: readonly Item[], stages: number): Item[][] {
  let start = 0;
  return stageSizes(layers.length, stages).map((size) => {
    const stage = layers.slice(start, start + size);
    start += size;
    return stage;
  });
}
