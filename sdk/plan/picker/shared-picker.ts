import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { poolSupportOf } from "../../gateways/index.ts";
import { endpointPickerName, label, manager } from "../../names.ts";
import { pickerServingOf } from "../../spec/picker-serving.ts";
import { programPodsOf } from "../../spec/program-pods.ts";
import type { SharedEndpointPickerSpec } from "../../spec/shared-endpoint-picker.ts";
import { defaultRuntimeImage } from "../../topology/runtime-image.ts";
import type { Parsed } from "../../validate/spec-kind.ts";
import { portsIn } from "../network-policy.ts";
import { objectMeta, type PlanContext } from "../object-meta.ts";
import type { PlanOptions } from "../options.ts";
import { planEndpointPicker } from "./endpoint-picker.ts";
import { pickForService } from "./picker-task.ts";

/**
 * Plans a shared picker, and the objects through which the gateway calls it. The picker serves the pools in its
 * namespace whose specs name its Service.
 */
export function planSharedEndpointPicker(
  { metadata, spec }: Parsed<SharedEndpointPickerSpec>,
  { runtimeImage = defaultRuntimeImage }: PlanOptions = {},
): Manifest[] {
  const { replicas, metricsAuth, networkPolicy, gatewayType } = spec;
  const context: PlanContext = { metadata, owner: { [label.managedBy]: manager } };
  const name = endpointPickerName(metadata.name);
  const poolPorts = { first: spec.ports.first, last: spec.ports.first + spec.ports.count - 1 };
  return [
    ...planEndpointPicker(context, {
      task: pickForService(name),
      replicas,
      metricsAuth,
      networkPolicy,
      poolPorts,
      pods: { image: runtimeImage, ...programPodsOf(spec) },
      // Other components create the routes to the pools.
      gateway: { type: gatewayType, namespaces: undefined },
      scheduling: {},
      serving: pickerServingOf(spec),
    }),
    ...(poolSupportOf(gatewayType).sharedPicker?.({
      name,
      namespace: metadata.namespace,
      ports: portsIn(poolPorts),
      metadata: objectMeta(context, name),
    }) ?? []),
  ];
}
