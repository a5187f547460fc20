import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Writes a language model of two layers that knows the 256 bytes and an end: an architecture and a tokenizer that engines
 * load like any other. It has no weights; engines draw them (`--load-format dummy`), so that its answers are noise.
 */
export function writeTinyModel(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const write = (file: string, content: object) =>
    writeFileSync(join(folder, file), JSON.stringify(content, null, 2));
  write("config.json", {
    architectures: ["LlamaForCausalLM"],
    model_type: "llama",
    hidden_size: 128,
    intermediate_size: 256,
    num_hidden_layers: 2,
    num_attention_heads: 2,
    num_key_value_heads: 2,
    head_dim: 64,
    hidden_act: "silu",
    max_position_embeddings: 8192,
    rms_norm_eps: 1e-6,
    vocab_size: end.id + 1,
    bos_token_id: end.id,
    eos_token_id: end.id,
    tie_word_embeddings: false,
    torch_dtype: "bfloat16",
  });
  write("tokenizer.json", tokenizer());
  write("tokenizer_config.json", {
    tokenizer_class: "PreTrainedTokenizerFast",
    eos_token: end.content,
    bos_token: end.content,
    model_max_length: 8192,
    chat_template:
      "{% for message in messages %}{{ message.role }}: {{ message.content }}\n{% endfor %}assistant: ",
  });
}

const end = { id: 256, content: "<|end|>" };

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
