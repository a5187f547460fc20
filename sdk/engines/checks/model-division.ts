import type { PartRanks } from "../interface/engine.ts";
import type { ModelFacts } from "../models/model-facts.ts";
import type { Quantization } from "../models/quantization.ts";

/** Returns the division of every part of a model over the same ranks. */
export const wholeModelOver = (ranks: number): PartRanks => ({
  ...{ attention: ranks, dense: ranks, shared: ranks, experts: ranks },
});

/** Returns the parts of a model that cannot be divided evenly over its ranks, as clauses. */
export function unevenParts(model: ModelFacts, division: PartRanks): string[] {
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
