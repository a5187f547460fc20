import { acceleratorTypes } from "../../engines/accelerators/index.ts";
import { engineOf } from "../../engines/containers/engine-container.ts";
import { nodeCountOf } from "../../engines/containers/executor.ts";
import { engineFaults } from "../../engines/start-up/engine-faults.ts";
import type { Invariant } from "../../invariant.ts";
import { type InferenceServiceSpec, inferenceRolesOf } from "../../spec/inference-service.ts";
import { argumentsPath } from "../helpers/arguments-path.ts";

/** Shared by the preview of a service and the rule on objects of a stack. */
export const enginesStart = {
  id: "engines-start",
  title: "An engine starts with its model on its accelerator",
  why: "An engine rejects wrong arguments, models or devices only after minutes of downloading and loading, and then restarts forever.",
  source:
    "vLLM, SGLang and TensorRT-LLM: their checks of arguments and memory by version; docs/start-up.md lists them",
  code: "conflict",
} as const;

/** Warning for services with templates. The same faults refuse a service that names its model. */
export const engineWillStart: Invariant<InferenceServiceSpec> = {
  ...enginesStart,
  *check(spec) {
    if (spec.model !== undefined) return;
    for (const role of inferenceRolesOf(spec)) {
      const name = role.accelerator ?? spec.accelerator;
      const path = argumentsPath(spec.roles.indexOf(role), role.template.spec);
      // The rule on objects checks devices that plugins add.
      const hasPlugins = spec.plugins !== undefined || role.plugins !== undefined;
      const faults = engineFaults(engineOf(role.template.spec), role.template.spec, {
        pods: nodeCountOf(role),
        accelerator: name && acceleratorTypes[name],
        named: spec.accelerators,
      });
      for (const { kind, ...fault } of faults)
        if (!hasPlugins || kind !== "no-devices") yield { path, ...fault };
    }
  },
};
