import { seeded } from "../../testing/samples/seeded.ts";

/** The shape of a Llama model. */
export interface ModelShape {
  readonly vocabulary: number;
  readonly hidden: number;
  readonly intermediate: number;
  readonly layers: number;
}

/**
 * Returns a file of safetensors with random weights in bfloat16, always the same ones. They are large enough that each token
 * of an answer depends on all of the prompt: dummy weights of an engine are so small that only the last token counts, and a
 * KV cache of garbage would not show.
 */
export function randomWeights({ vocabulary, hidden, intermediate, layers }: ModelShape): Buffer {
  const random = seeded(1);
  const tensors: Array<readonly [name: string, shape: readonly number[], data: Buffer]> = [];
  const add = (name: string, shape: readonly number[], draw: () => number) => {
    const data = Buffer.alloc(2 * shape.reduce((product, length) => product * length, 1));
    for (let at = 0; at < data.length; at += 2) data.writeUInt16LE(bfloat16(draw()), at);
    tensors.push([name, shape, data]);
  };
  const uniform = (width: number) => () => (2 * random() - 1) * width;
  const one = () => 1;
  add("model.embed_tokens.weight", [vocabulary, hidden], uniform(1.7));
  for (let layer = 0; layer < layers; layer += 1) {
    const of = (name: string) => `model.layers.${layer}.${name}.weight`;
    for (const name of ["q_proj", "k_proj", "v_proj", "o_proj"])
      add(of(`self_attn.${name}`), [hidden, hidden], uniform(0.2));
    for (const name of ["gate_proj", "up_proj"])
      add(of(`mlp.${name}`), [intermediate, hidden], uniform(0.15));
    add(of("mlp.down_proj"), [hidden, intermediate], uniform(0.15));
    for (const name of ["input_layernorm", "post_attention_layernorm"])
      add(of(name), [hidden], one);
  }
  add("model.norm.weight", [hidden], one);
  add("lm_head.weight", [vocabulary, hidden], uniform(0.5));
  return safetensors(tensors);
}

/** The upper half of a float. */
function bfloat16(value: number): number {
  const float = Buffer.alloc(4);
  float.writeFloatBE(value);
  return float.readUInt16BE();
}

/** The length of a header, the header, the data of all tensors. */
function safetensors(
  tensors: ReadonlyArray<readonly [name: string, shape: readonly number[], data: Buffer]>,
): Buffer {
  let end = 0;
  const header = Object.fromEntries(
    tensors.map(([name, shape, data]) => {
      const begin = end;
      end += data.length;
      return [name, { dtype: "BF16", shape, data_offsets: [begin, end] }];
    }),
  );
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([length, text, ...tensors.map(([, , data]) => data)]);
}
