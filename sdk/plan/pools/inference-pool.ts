import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { engineOf } from "../../engines/containers/engine-container.ts";
import { servedModels } from "../../engines/containers/served-models.ts";
import { isGrpcServer } from "../../engines/containers/server.ts";
import { annotation, inferencePoolName, label, lwsLabel } from "../../names.ts";
import { type InferenceServiceSpec, inferenceRolesOf } from "../../spec/inference-service.ts";
import type { InferenceRole, RouterRole } from "../../spec/role.ts";
import { poolPortsOf } from "../../topology/pool-ports.ts";
import { routerPickerOf } from "../../topology/router-picker.ts";
import { requestsOf } from "../access.ts";
import { annotated, objectMeta, type PlanContext } from "../object-meta.ts";
import { exportAnnotations } from "../picker/export.ts";
import { sharedPickerAnnotations } from "../picker/picker-task.ts";
import { poolManifest } from "../pool-manifest.ts";

/**
 * Returns the InferencePool of a service (inference.networking.k8s.io/v1). It selects only leaders: workers do not
 * serve requests, and the picker's pods have no worker index.
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
    // A shared picker reads from these annotations how to pick for this service.
    ...(router.shared !== undefined && sharedPickerAnnotations(pickerConfig, requestsOf(router))),
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
    // A gateway sends HTTP/1.1 by default, which a gRPC server rejects.
    ...(roles.every(({ template }) => isGrpcServer(engineOf(template.spec))) && {
      appProtocol: "kubernetes.io/h2c",
    }),
  });
}

/**
 * Returns the annotation that reserves the names of the service's base models, so that LLMServices of other namespaces
 * cannot register them. If a template does not show its model names, none is reserved, and other namespaces get only
 * names that are granted to them.
 */
function reservedModels(roles: readonly InferenceRole[]): Record<string, string> {
  const served = roles.map(({ template }) => servedModels(engineOf(template.spec)));
  const known = served.filter((names) => names !== undefined);
  if (known.length < served.length) return {};
  return { [annotation.reservedModels]: JSON.stringify([...new Set(known.flat())].sort()) };
}
