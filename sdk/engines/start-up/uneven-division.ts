import { orList, sentence } from "../../errors.ts";
import type { FindingText } from "../../invariant.ts";
import { unevenParts } from "../checks/model-division.ts";
import type { CommandLine } from "../command-line/started-programs.ts";
import { loadedModel } from "../containers/served-models.ts";
import { argumentsOf, engines } from "../index.ts";
import { type ModelFacts, modelFacts } from "../models/model-facts.ts";
import { parallelismOf } from "./parallelism.ts";

/**
 * Returns the fault in an engine's division of its model over accelerators; undefined if there is none, or if the
 * model is not in the table of facts.
 *
 * @param gpus accelerators of one pod, for the suggestion
 * @param facts facts of the model. Default: by the name that the command loads.
 */
export function unevenDivision(
  container: CommandLine,
  gpus: number,
  facts?: ModelFacts,
): FindingText | undefined {
  const name = loadedModel(container);
  const model = facts ?? (name === undefined ? undefined : modelFacts(name));
  const parallelism = parallelismOf(container);
  if (model === undefined || parallelism === undefined) return undefined;
  if (argumentsOf(container).has("--hf-overrides")) return undefined;
  const { tensor, pipeline } = parallelism;
  const engine = engines[parallelism.engine];
  const divide = engine.divideBy(argumentsOf(container), parallelism.data);
  const parts = unevenParts(model, divide(tensor));
  if (parts.length === 0) return undefined;
  const fitting = Array.from({ length: tensor }, (_, at) => at + 1).filter(
    (size) => unevenParts(model, divide(size)).length === 0,
  );
  const { tensor: tensorFlag, pipeline: pipelineFlag } = engine.modelFactors;
  const best = fitting.findLast((size) => size <= (gpus || tensor) && tensor % size === 0);
  const fixes = [
    ...(best === undefined
      ? []
      : [`set ${tensorFlag} ${best} and ${pipelineFlag} ${(tensor / best) * pipeline}`]),
    ...(unevenParts(model, { ...divide(tensor), experts: 1 }).length === 0
      ? [`${engine.wholeExperts}, which keeps each expert on one rank`]
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
