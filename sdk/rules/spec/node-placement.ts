import { acceleratorTypes, isPartOf } from "../../engines/accelerators/index.ts";
import {
  type Selecting,
  selectedAccelerators,
} from "../../engines/start-up/template-accelerator.ts";
import type { Invariant } from "../../invariant.ts";
import { inferenceRoles, type PartialSpec } from "../helpers/partial-spec.ts";

/** Rule on labels of nodes that contradict the accelerator of a role. */
export const nodesHaveTheAccelerator: Invariant<PartialSpec> = {
  id: "nodes-have-the-accelerator",
  title: "A role selects nodes of its accelerator",
  why: "The sizes of the engine follow from the accelerator. On nodes with another accelerator the engine runs out of memory after the download, or has too few devices.",
  source: "docs/gpu-nodes.md: labels of nodes by accelerator",
  code: "conflict",
  *check({ accelerator, nodes, roles }) {
    for (const { index, role } of inferenceRoles({ roles })) {
      const name = role.accelerator ?? accelerator;
      if (name === undefined) continue;
      const pod = role.template.spec;
      const selector = (role.nodes ?? nodes)?.selector;
      const other = (selecting: Selecting) =>
        selectedAccelerators(selecting).find((each) => !isPartOf(name, each));
      for (const [found, path] of [
        [other(pod), ["roles", index, "template", "spec"]],
        [
          other({ containers: [], nodeSelector: selector }),
          role.nodes ? ["roles", index, "nodes", "selector"] : ["nodes", "selector"],
        ],
      ] as const) {
        if (found === undefined) continue;
        yield {
          path,
          given: `selects nodes with ${acceleratorTypes[found].title}, but the accelerator is ${name}`,
          allowed: `nodes with ${acceleratorTypes[name].title}, or accelerator ${found}`,
          fix: `Remove the selection, or set accelerator: "${found}".`,
        };
      }
    }
  },
};
