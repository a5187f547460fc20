import { acceleratorsOf } from "../../engines/accelerators/pod-accelerators.ts";
import { engineOf } from "../../engines/containers/engine-container.ts";
import { unevenDivision } from "../../engines/start-up/uneven-division.ts";
import type { Invariant } from "../../invariant.ts";
import { type InferenceServiceSpec, inferenceRolesOf } from "../../spec/inference-service.ts";
import type { ContainerShape } from "../../stack/shapes.ts";
import { argumentsPath } from "../helpers/arguments-path.ts";

/**
 * A warning and not a refusal, because a template may start a patched engine, or another checkpoint under a name in the
 * table.
 */
export const modelDividesEvenly: Invariant<InferenceServiceSpec> = {
  id: "model-divides-evenly",
  title: "A model divides evenly over the ranks of its engine",
  why: "An engine does not load a model if a rank would get a fraction of an attention head or of a quantization block.",
  source:
    "vLLM 0.32: verify_with_parallel_config, validate_fp8_block_shape, validate_fp8_block_shape_moe; sizes from each model's config.json",
  code: "count",
  *check(spec) {
    for (const role of inferenceRolesOf(spec)) {
      const engine = engineOf(role.template.spec);
      const problem = unevenDivision(
        engine as ContainerShape,
        acceleratorsOf(engine, spec.accelerators) ?? 0,
      );
      if (problem === undefined) continue;
      const path = argumentsPath(spec.roles.indexOf(role), role.template.spec);
      yield { path, ...problem };
    }
  },
};
