import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { servedModels } from "../../engines/served-models.ts";
import { type InferenceServiceSpec, inferenceRolesOf } from "../../spec/inference-service.ts";
import type { InferenceRole, RouterRole } from "../../spec/role.ts";
import { engineOf } from "../../topology/engine-container.ts";
import { annotation, inferencePoolName, label, lwsLabel } from "../../topology/names.ts";
import { poolPortsOf } from "../../topology/pool-ports.ts";
import { routerPickerOf } from "../../topology/router-picker.ts";
import { annotated, objectMeta, type PlanContext } from "../object-meta.ts";
import { exportAnnotations } from "../picker/export.ts";
import { sharedPickerAnnotations } from "../picker/picker-task.ts";
import { poolManifest } from "../pool-manifest.ts";

/**
 * The pool of a service's leaders (inference.networking.k8s.io/v1). Workers serve nothing, and the picker's own
 * pods have no worker index.
 */
export function planInferencePool(
  context: PlanContext,
  spec: InferenceServiceSpec,
  router: RouterRole,
  pickerConfig: string,
): Manifest {
  const service = context.metadata.name;
  const roles = inferenceRolesOf(spec);
  const [only, ...others] = roles;
  const metadata = annotated(objectMeta(context, inferencePoolName(service)), {
    ...(spec.models === undefined ? {} : { [annotation.registration]: "required" }),
    ...reservedModels(roles),
    // A picker that is shared reads here how it picks for this service.
    ...(router.shared !== undefined && sharedPickerAnnotations(pickerConfig, router)),
    ...exportAnnotations(router.export),
  });
  return poolManifest(metadata, {
    targetPorts: poolPortsOf(roles, router),
    selector: {
      [label.service]: service,
      ...(only !== undefined && others.length === 0
        ? { [label.componentType]: only.componentType }
        : {}),
      [lwsLabel.workerIndex]: "0",
    },
    picker: routerPickerOf(service, router),
    failureMode: router.failureMode,
  });
}

/**
 * The names of the service's base models, which LLMServices of other namespaces do not get, whoever lets them in. Where a
 * template does not tell them, none is reserved, and such namespaces get the names that are granted to them alone.
 */
function reservedModels(roles: readonly InferenceRole[]): Record<string, string> {
  const served = roles.map(({ template }) => servedModels(engineOf(template.spec)));
  const known = served.filter((names) => names !== undefined);
  if (known.length < served.length) return {};
  return { [annotation.reservedModels]: JSON.stringify([...new Set(known.flat())].sort()) };
}
