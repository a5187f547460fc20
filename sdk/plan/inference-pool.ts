import type { Manifest } from "../kubernetes/manifest.ts";
import { type InferenceServiceSpec, inferenceRolesOf } from "../spec/inference-service.ts";
import type { RouterRole } from "../spec/role.ts";
import {
  annotation,
  endpointPickerName,
  inferencePoolName,
  label,
  lwsLabel,
} from "../topology/names.ts";
import { targetPortOf } from "../topology/serving-port.ts";
import { exportAnnotations } from "./export.ts";
import { annotated, objectMeta, type PlanContext } from "./object-meta.ts";
import { endpointPickerPorts } from "./picker-ports.ts";

/**
 * The pool of a service's leaders (inference.networking.k8s.io/v1). Workers serve nothing, and the picker's own
 * pods have no worker index.
 */
export function planInferencePool(
  context: PlanContext,
  spec: InferenceServiceSpec,
  router: RouterRole,
): Manifest {
  const service = context.metadata.name;
  const roles = inferenceRolesOf(spec);
  const [only, ...others] = roles;
  return {
    apiVersion: "inference.networking.k8s.io/v1",
    kind: "InferencePool",
    metadata: annotated(objectMeta(context, inferencePoolName(service)), {
      ...(spec.models === undefined ? {} : { [annotation.registration]: "required" }),
      ...exportAnnotations(router.export),
    }),
    spec: {
      targetPorts: [{ number: targetPortOf(roles, router) }],
      selector: {
        matchLabels: {
          [label.service]: service,
          ...(only !== undefined && others.length === 0
            ? { [label.componentType]: only.componentType }
            : {}),
          [lwsLabel.workerIndex]: "0",
        },
      },
      endpointPickerRef: {
        name: endpointPickerName(service),
        port: { number: endpointPickerPorts.extProc },
        failureMode: router.failureMode,
      },
    },
  };
}
