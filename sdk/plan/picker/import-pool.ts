import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { endpointPickerName, label } from "../../names.ts";
import { runtimePorts } from "../../topology/runtime-ports.ts";
import { objectMeta, type PlanContext } from "../object-meta.ts";
import { poolManifest } from "../pool-manifest.ts";

/**
 * Returns the InferencePool by which gateways find the picker of an import. It has the same name as the imported pool
 * and selects no pods: the picker returns the address for each request.
 */
export const planImportPool = (context: PlanContext): Manifest => {
  const { name } = context.metadata;
  return poolManifest(objectMeta(context, name), {
    // Required by the schema. The picker returns ports itself.
    targetPorts: [443],
    // No pod has this label.
    selector: { [label.pool]: name },
    picker: { name: endpointPickerName(name), port: runtimePorts.extProc },
    // Without the picker there is no endpoint.
    failureMode: "FailClose",
  });
};
