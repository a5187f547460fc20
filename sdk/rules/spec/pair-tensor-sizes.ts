import { engineOf } from "../../engines/containers/engine-container.ts";
import { argumentsOf, engines } from "../../engines/index.ts";
import { parallelismOf } from "../../engines/start-up/parallelism.ts";
import type { Invariant } from "../../invariant.ts";
import type { InferenceRole } from "../../spec/role.ts";
import { argumentsPath } from "../helpers/arguments-path.ts";
import { inferenceRoles, type PartialSpec } from "../helpers/partial-spec.ts";

/**
 * Returns the number of devices over which vLLM shards its KV heads. Undefined unless the blocks are
 * transferred by NixlConnector, which the plan sets by default.
 */
function tensorSizeOf({ template }: InferenceRole): number | undefined {
  const engine = engineOf(template.spec);
  const { engine: name, tensor } = parallelismOf(engine) ?? {};
  const { transfer } = name === undefined ? {} : engines[name];
  return transfer?.pairsRanks(argumentsOf(engine)) ? tensor : undefined;
}

const divide = (a: number, b: number) => Math.max(a, b) % Math.min(a, b) === 0;

/** Data-parallel sizes may differ, because each rank is a separate engine and its responses contain its port. */
export const pairTensorSizesDivide: Invariant<PartialSpec> = {
  id: "pair-tensor-sizes-divide",
  title:
    "The tensor-parallel size of vLLM's prefillers is a multiple or divisor of the decoders' size",
  why: "NixlConnector transfers between whole ranks. With sizes 4 and 6, for example, every transfer fails and the decoders prefill.",
  source: "vLLM: TransferTopology.tp_ratio in kv_connector/utils.py",
  code: "count",
  *check(spec) {
    const roles = inferenceRoles(spec);
    const prefillers = roles.filter(({ role }) => role.componentType === "prefiller");
    for (const { index, role } of roles) {
      if (role.componentType !== "decoder") continue;
      const own = tensorSizeOf(role);
      if (!own) continue;
      for (const { role: prefiller } of prefillers) {
        const other = tensorSizeOf(prefiller);
        if (!other || divide(own, other)) continue;
        yield {
          path: argumentsPath(index, role.template.spec),
          given: `set a tensor-parallel size of ${own}`,
          allowed: `a multiple or divisor of ${other}, the size of role ${prefiller.name}`,
          fix: "Change --tensor-parallel-size in one of the two roles.",
        };
      }
    }
  },
};
