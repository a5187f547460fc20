/** Quantization of a checkpoint, by the parts of a layer that it covers. */

import { type Config, type Fields, fieldsOf, isConfig, ModelConfigError } from "./config-fields.ts";

/** How the weights of one part are stored. */
export interface Quantization {
  readonly method: QuantizationMethod;
  /** Bits of a weight, without scales. */
  readonly bits: number;
  /** Weights along the input dimension that share a scale. Undefined if a whole tensor or channel shares it. */
  readonly group?: number;
  /** Rows and columns that share a scale. */
  readonly block?: number;
  /** Bytes of a weight, with scales. */
  readonly bytes: number;
}

export type QuantizationMethod =
  | "fp8-block"
  | "fp8-channel"
  | "fp8-tensor"
  | "awq"
  | "gptq"
  | "int4"
  | "int8"
  | "mxfp4"
  | "mxfp8"
  | "nvfp4"
  | "bitsandbytes";

/** Parts of a model that checkpoints quantize separately. */
export type QuantizedPart =
  | "attention"
  | "attentionOutput"
  | "linear"
  | "dense"
  | "shared"
  | "experts"
  | "head";

/** Names of a part's weights in lists of excluded modules. `#` represents the number of the layer. */
const moduleNames: Readonly<Record<QuantizedPart, readonly string[]>> = {
  attention: [
    "model.layers.#.self_attn.q_proj",
    "model.layers.#.self_attn.q_a_proj",
    "layers.#.attn.wq_a",
  ],
  attentionOutput: ["model.layers.#.self_attn.o_proj", "layers.#.attn.wo_b"],
  linear: ["model.layers.#.linear_attn.out_proj", "backbone.layers.#.mixer.in_proj"],
  dense: ["model.layers.#.mlp.down_proj"],
  shared: [
    "model.layers.#.mlp.shared_experts.down_proj",
    "model.layers.#.mlp.shared_expert.down_proj",
    "layers.#.ffn.shared_experts.w2",
  ],
  experts: [
    "model.layers.#.mlp.experts.0.down_proj",
    "model.layers.#.block_sparse_moe.experts.0.w2",
    "model.layers.#.feed_forward.experts.0.down_proj",
    "model.layers.#.experts.0.down_proj",
    "layers.#.ffn.experts.0.w2",
    "backbone.layers.#.mixer.experts.0.down_proj",
  ],
  head: ["lm_head", "head"],
};

const parts = Object.keys(moduleNames) as QuantizedPart[];

/** Returns how each part of a checkpoint is quantized. */
export function quantizationOf(
  model: Fields,
  layers: number,
): Partial<Record<QuantizedPart, Quantization>> {
  const config = model.object("quantization_config");
  const found: Partial<Record<QuantizedPart, Quantization>> = {};
  const fp4Experts = model.text("expert_dtype") === "fp4";
  if (config !== undefined)
    for (const part of parts) {
      const scheme = schemeOf(config, part, layers);
      if (scheme !== undefined) found[part] = scheme;
    }
  if (fp4Experts) found.experts = schemes.mxfp4;
  return found;
}

const schemes = {
  mxfp4: { method: "mxfp4", bits: 4, group: 32, bytes: 0.5 + 1 / 32 },
  mxfp8: { method: "mxfp8", bits: 8, group: 32, bytes: 1 + 1 / 32 },
  nvfp4: { method: "nvfp4", bits: 4, group: 16, bytes: 0.5 + 1 / 16 },
  tensor: { method: "fp8-tensor", bits: 8, bytes: 1 },
  channel: { method: "fp8-channel", bits: 8, bytes: 1 },
  int8: { method: "int8", bits: 8, bytes: 1 },
} as const satisfies Record<string, Quantization>;

const blocks = (size: number): Quantization => ({
  ...{ method: "fp8-block", bits: 8, block: size },
  bytes: 1 + 4 / size ** 2,
});

const grouped = (
  method: "awq" | "gptq" | "int4" | "int8",
  bits: number,
  group: number,
  hasZeros: boolean,
): Quantization => ({
  ...{ method, bits },
  ...(group > 0 && { group }),
  bytes: bits / 8 + (group > 0 ? (2 + (hasZeros ? bits / 8 : 0)) / group : 0),
});

function schemeOf(config: Config, part: QuantizedPart, layers: number): Quantization | undefined {
  const fields = fieldsOf(config);
  const names = namesOf(part, layers);
  const method = (fields.text("quant_method") ?? "").toLowerCase();
  const algorithm = fields.text("quant_algo")?.toUpperCase();
  const excluded = ["modules_to_not_convert", "ignore", "exclude_modules", "ignored_layers"]
    .flatMap((name) => fields.list(name) ?? [])
    .filter((pattern) => typeof pattern === "string");
  const quantizedLayers = fields.object("quantized_layers");
  if (quantizedLayers !== undefined) return mixedScheme(quantizedLayers, names, fields, part);
  if (isHead(part) && fields.flag("lm_head") !== true && method !== "compressed-tensors")
    return undefined;
  if (names.some((name) => excluded.some((pattern) => matches(pattern, name)))) return undefined;
  if (algorithm !== undefined) return byAlgorithm(algorithm, fields);
  switch (method) {
    case "fp8": {
      const [block] = fields.list("weight_block_size") ?? [];
      return typeof block === "number" ? blocks(block) : schemes.tensor;
    }
    case "fbgemm_fp8":
      return schemes.channel;
    case "mxfp4":
      return part === "experts" ? schemes.mxfp4 : undefined;
    case "awq":
    case "gptq":
    case "auto-round": {
      const name = method === "awq" ? "awq" : "gptq";
      return grouped(name, fields.find("bits") ?? 4, fields.find("group_size") ?? 128, true);
    }
    case "bitsandbytes": {
      const bits = fields.flag("load_in_8bit") ? 8 : 4;
      return { method: "bitsandbytes", bits, bytes: bits / 8 + 4 / 64 };
    }
    case "compressed-tensors":
    case "modelopt":
      return byGroups(fields, names, isHead(part));
    default:
      return undefined;
  }
}

const isHead = (part: QuantizedPart) => part === "head";

/** Returns a scheme by NVIDIA ModelOpt's name of its algorithm. */
function byAlgorithm(algorithm: string, fields: Fields): Quantization | undefined {
  if (algorithm.endsWith("NVFP4")) return schemes.nvfp4;
  if (algorithm.endsWith("MXFP4")) return schemes.mxfp4;
  if (algorithm === "MXFP8") return schemes.mxfp8;
  if (algorithm.includes("AWQ")) return grouped("awq", 4, fields.find("group_size") ?? 128, false);
  return algorithm.startsWith("FP8") ? schemes.tensor : undefined;
}

/** Returns the scheme of the first compressed-tensors group that targets one of these modules. */
function byGroups(
  fields: Fields,
  names: readonly string[],
  onlyNamed: boolean,
): Quantization | undefined {
  for (const group of Object.values(fields.object("config_groups") ?? {})) {
    if (!isConfig(group)) continue;
    const { list, object } = fieldsOf(group);
    const targets = (list("targets") ?? ["Linear"]).filter((each) => typeof each === "string");
    const named = targets.some((target) => names.some((name) => matches(target, name)));
    if (!named && (onlyNamed || !targets.includes("Linear"))) continue;
    const weights = object("weights");
    if (weights === undefined) continue;
    const { find, text, list: numbers } = fieldsOf(weights);
    const bits = find("num_bits") ?? 8;
    const size = find("group_size");
    if (text("type") === "float" && bits === 4) return size === 32 ? schemes.mxfp4 : schemes.nvfp4;
    if (text("type") === "float") {
      const [block] = numbers("block_structure") ?? [];
      if (typeof block === "number") return blocks(block);
      return text("strategy") === "channel" ? schemes.channel : schemes.tensor;
    }
    return grouped(bits === 8 ? "int8" : "int4", bits, size ?? 0, false);
  }
  return undefined;
}

function mixedScheme(
  layers: Config,
  names: readonly string[],
  fields: Fields,
  part: QuantizedPart,
): Quantization | undefined {
  for (const [name, layer] of Object.entries(layers)) {
    if (!names.some((each) => each === tail(name) || each.startsWith(`${tail(name)}.`))) continue;
    const algorithm = isConfig(layer) ? fieldsOf(layer).text("quant_algo") : undefined;
    if (algorithm !== undefined) return byAlgorithm(algorithm.toUpperCase(), fields);
  }
  if (isHead(part)) return undefined;
  const [block] = fields.list("weight_block_size") ?? [];
  const rest = fields.text("quant_method")?.toLowerCase() === "fp8";
  return rest ? (typeof block === "number" ? blocks(block) : schemes.tensor) : undefined;
}

/** Module names of a part in all layers except the last, which lists of excluded modules often name separately. */
const namesOf = (part: QuantizedPart, layers: number) =>
  moduleNames[part].flatMap((name) =>
    name.includes("#")
      ? Array.from({ length: Math.min(layers - 1, 8) }, (_, at) =>
          name.replace("#", String(layers - 2 - at)),
        )
      : [name],
  );

const tail = (name: string) =>
  name
    .replace(/^(language_model\.)?model\.(language_model\.)?/, "model.")
    .replace(/^model\.model\./, "model.");

function expressionOf(source: string): RegExp {
  try {
    return new RegExp(`^(?:${source})`);
  } catch {
    throw new ModelConfigError(
      `config.json: "ignore" contains ${JSON.stringify(`re:${source}`)}; allowed: a regular expression.`,
    );
  }
}

/** Reports whether a pattern of excluded modules (a glob, a prefix or `re:`) matches a module's name. */
function matches(pattern: string, name: string): boolean {
  if (pattern.startsWith("re:")) return expressionOf(pattern.slice(3)).test(name);
  const plain = tail(pattern);
  if (plain.includes("*")) {
    const source = plain
      .split("*")
      .map((text) => text.replace(/[.+?^${}()|[\]\\]/g, "\\$&"))
      .join(".*");
    return new RegExp(`^${source}(?:\\.|$)`).test(name);
  }
  return name === plain || name.startsWith(`${plain}.`) || name.split(".").includes(plain);
}
