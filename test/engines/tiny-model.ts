import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { randomWeights } from "./tiny-weights.ts";

/**
 * Returns the folder of a language model of two layers that knows the 256 bytes and an end, which engines load like any
 * other. Its weights are random, so that its answers are noise. The folder is written once and is the same for all: engines
 * that hand over a KV cache compare its path.
 */
export function tinyModel(parent: string): string {
  const contents: ReadonlyArray<readonly [file: string, content: string | Buffer]> = [
    ...Object.entries(files()).map(
      ([file, json]) => [file, JSON.stringify(json, null, 2)] as const,
    ),
    ["model.safetensors", randomWeights(shape)],
  ];
  const hash = createHash("sha256");
  for (const [, content] of contents) hash.update(content);
  const key = hash.digest("hex").slice(0, 8);
  const folder = join(parent, `tiny-model-${key}`);
  if (existsSync(folder)) return folder;
  mkdirSync(parent, { recursive: true });
  const scratch = mkdtempSync(`${folder}.`);
  for (const [file, content] of contents) writeFileSync(join(scratch, file), content);
  try {
    renameSync(scratch, folder);
  } catch (error) {
    // Another process was first.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

const files = (): Readonly<Record<string, object>> => ({
  "config.json": {
    architectures: ["LlamaForCausalLM"],
    model_type: "llama",
    hidden_size: shape.hidden,
    intermediate_size: shape.intermediate,
    num_hidden_layers: shape.layers,
    num_attention_heads: 2,
    num_key_value_heads: 2,
    head_dim: 64,
    hidden_act: "silu",
    max_position_embeddings: 8192,
    rms_norm_eps: 1e-6,
    vocab_size: shape.vocabulary,
    bos_token_id: end.id,
    eos_token_id: end.id,
    tie_word_embeddings: false,
    torch_dtype: "bfloat16",
  },
  "tokenizer.json": tokenizer(),
  "tokenizer_config.json": {
    tokenizer_class: "PreTrainedTokenizerFast",
    eos_token: end.content,
    bos_token: end.content,
    model_max_length: 8192,
    chat_template:
      "{% for message in messages %}{{ message.role }}: {{ message.content }}\n{% endfor %}assistant: ",
  },
});

const end = { id: 256, content: "<|end|>" };
const shape = { vocabulary: end.id + 1, hidden: 128, intermediate: 256, layers: 2 };

/** Hugging Face's format: every byte is a token, none are merged. */
function tokenizer(): object {
  const byteLevel = {
    type: "ByteLevel",
    add_prefix_space: false,
    trim_offsets: true,
    use_regex: true,
  };
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: [
      {
        ...end,
        single_word: false,
        lstrip: false,
        rstrip: false,
        normalized: false,
        special: true,
      },
    ],
    normalizer: null,
    pre_tokenizer: byteLevel,
    post_processor: null,
    decoder: byteLevel,
    model: {
      type: "BPE",
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      vocab: Object.fromEntries(byteSymbols().map((symbol, byte) => [symbol, byte])),
      merges: [],
    },
  };
}

/** Byte-level tokenizers write a byte as the character of its code, and those that would not show as later characters. */
function byteSymbols(): string[] {
  const shows = (byte: number) =>
    (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad && byte <= 0xff);
  let hidden = 0;
  return Array.from({ length: 256 }, (_, byte) =>
    String.fromCodePoint(shows(byte) ? byte : 0x100 + hidden++),
  );
}
