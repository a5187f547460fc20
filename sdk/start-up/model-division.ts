import { whatIsKnown } from "../engines/arguments.ts";
import { argumentsOf, type EngineName, engines } from "../engines/index.ts";
import { loadedModel } from "../engines/served-models.ts";
import { orList, sentence } from "../errors.ts";
import type { Finding } from "../invariant.ts";
import { type ModelFacts, modelFacts } from "../models/model-facts.ts";
import type { Quantization } from "../models/quantization.ts";
import type { ContainerShape } from "../stack/shapes.ts";
import { type Parallelism, parallelismOf } from "./parallelism.ts";

/** Ranks over which one copy of each part of a model is divided. */
export interface Division {
  readonly attention: number;
  readonly dense: number;
  readonly shared: number;
  readonly experts: number;
}

type Divide = (tensor: number) => Division;

/** Returns the division of every part of a model over the same ranks. */
export const wholeModelOver = (ranks: number): Division => ({
  ...{ attention: ranks, dense: ranks, shared: ranks, experts: ranks },
});

/** Returns the ranks over which a command divides the parts of a model, for a tensor parallel size. */
function divideBy(container: ContainerShape, { engine, data }: Parallelism): Divide {
  const args = argumentsOf(container);
  const numberOf = (option: string): number | undefined => {
    const text = whatIsKnown(args.written(option));
    return text !== undefined && /^[1-9]\d*$/.test(text) ? Number(text) : undefined;
  };
  if (engine === "vllm") {
    const isWhole = args.written("--enable-expert-parallel") === "true";
    return (tensor) => ({
      attention: tensor,
      dense: tensor,
      // Copies with whole experts split the sequence, not the shared expert.
      shared: isWhole && data > 1 ? 1 : tensor,
      // Experts that are not whole are divided over all copies together.
      experts: isWhole ? 1 : tensor * data,
    });
  }
  const attentionCopies = args.has("--enable-dp-attention") ? "--dp-size" : "--attn-dp-size";
  const copies = numberOf(attentionCopies) ?? 1;
  const exchange = args.written("--moe-a2a-backend") ?? "none";
  return (tensor) => {
    const whole = exchange === "none" ? (numberOf("--ep-size") ?? 1) : tensor;
    return {
      attention: tensor / copies,
      dense: numberOf("--moe-dense-tp-size") ?? tensor / copies,
      shared: whole > 1 ? 1 : tensor,
      experts: tensor / whole,
    };
  };
}

/** Returns the parts of a model that cannot be divided evenly over its ranks, as clauses. */
export function unevenParts(model: ModelFacts, division: Division): string[] {
  const { attention, dense, experts, weights } = model;
  const { quantized } = weights;
  const parts: string[] = [];
  if (attention.heads % division.attention !== 0)
    parts.push(`${attention.heads} attention heads over ${division.attention} ranks`);
  if (attention.kind === "grouped") {
    const { keyValueHeads } = attention;
    const [more, fewer] = [keyValueHeads, division.attention].sort((a, b) => b - a);
    // If there are fewer heads than ranks, heads are replicated.
    if (Number(more) % Number(fewer) !== 0)
      parts.push(`${keyValueHeads} key-value heads over ${division.attention} ranks`);
  }
  const widths: Array<
    [name: string, width: number | undefined, ranks: number, scales: Quantization | undefined]
  > = [
    ["feed-forward layers", dense, division.dense, quantized.dense],
    [
      "the shared expert",
      experts?.shared && experts.shared * experts.width,
      division.shared,
      quantized.shared,
    ],
    ["each expert", experts?.width, division.experts, blocksOnly(quantized.experts)],
  ];
  for (const [name, width, ranks, scales] of widths) {
    const step = scales?.block ?? groupOf(scales);
    if (!width || (width / ranks) % step === 0) continue;
    const kind = scales?.block === undefined ? "groups" : "FP8 blocks";
    const share =
      width % ranks === 0 && step > 1 ? `, ${width / ranks} each, in ${kind} of ${step}` : "";
    parts.push(`${width} columns of ${name} over ${ranks} ranks${share}`);
  }
  return parts;
}

/** Kernels for experts can split groups of scales, but not blocks. */
const blocksOnly = (scales: Quantization | undefined) =>
  scales?.block === undefined ? undefined : scales;

/** Columns that share a scale in kernels that keep groups whole: AWQ and GPTQ. */
const groupOf = (scales: Quantization | undefined): number =>
  scales?.method === "awq" || scales?.method === "gptq" ? (scales.group ?? 1) : 1;

/**
 * Returns the fault in an engine's division of its model over accelerators; undefined if there is none, or if the
 * model is not in the table of facts.
 *
 * @param gpus accelerators of one pod, for the suggestion
 * @param facts facts of the model. Default: by the name that the command loads.
 */
export function unevenDivision(
  container: ContainerShape,
  gpus: number,
  facts?: ModelFacts,
): Omit<Finding, "path"> | undefined {
  const name = loadedModel(container);
  const model = facts ?? (name === undefined ? undefined : modelFacts(name));
  const parallelism = parallelismOf(container);
  if (model === undefined || parallelism === undefined) return undefined;
  if (argumentsOf(container).has("--hf-overrides")) return undefined;
  const { engine, tensor, pipeline } = parallelism;
  const divide = divideBy(container, parallelism);
  const parts = unevenParts(model, divide(tensor));
  if (parts.length === 0) return undefined;
  const fitting = Array.from({ length: tensor }, (_, at) => at + 1).filter(
    (size) => unevenParts(model, divide(size)).length === 0,
  );
  const { tensor: tensorFlag, pipeline: pipelineFlag } = engines[engine].modelFactors;
  const best = fitting.findLast((size) => size <= (gpus || tensor) && tensor % size === 0);
  const fixes = [
    ...(best === undefined
      ? []
      : [`set ${tensorFlag} ${best} and ${pipelineFlag} ${(tensor / best) * pipeline}`]),
    ...(unevenParts(model, { ...divide(tensor), experts: 1 }).length === 0
      ? [`${wholeExperts[engine]}, which keeps each expert on one rank`]
      : []),
  ];
  return {
    given: `divide ${name} unevenly: ${parts.join("; ")}`,
    allowed:
      fitting.length === 0
        ? "a division into whole heads, columns and quantization blocks"
        : `a tensor parallel size of ${orList(fitting)}`,
    fix: sentence(fixes.join(", or ") || "change the parallel sizes"),
  };
}

const wholeExperts: Readonly<Record<EngineName, string>> = {
  vllm: "add --enable-expert-parallel",
  sglang: "set --ep-size to the tensor parallel size",
  "tensorrt-llm": "set --ep_size to the tensor parallel size",
};
