import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { endpointPickerName, label } from "../../topology/names.ts";
import { runtimePorts } from "../../topology/runtime-ports.ts";
import { objectMeta, type PlanContext } from "../object-meta.ts";
import { poolManifest } from "../pool-manifest.ts";

/**
 * The InferencePool by which gateways find the picker of an import, which has the pool's name. It selects no pods: the
 * gateway sends requests wherever the picker says.
 */
export const planImportPool = (context: PlanContext): Manifest => {
  const { name } = context.metadata;
  return poolManifest(objectMeta(context, name), {
    // An InferencePool has to have one; the picker names ports itself.
    targetPorts: [443],
    // No pod has it.
    selector: { [label.pool]: name },
    picker: { name: endpointPickerName(name), port: runtimePorts.extProc },
    // Without its picker there is nowhere to send a request.
    failureMode: "FailClose",
  });
};
