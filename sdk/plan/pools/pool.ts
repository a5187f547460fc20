import { groups } from "../../../kubernetes/kinds/groups.ts";
import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { present } from "../../../kubernetes/values/present.ts";
import { poolGatewayType } from "../../gateways/index.ts";
import { violations } from "../../invariant.ts";
import {
  annotation,
  endpointPickerName,
  label,
  poolObjectName,
  serviceReaderName,
} from "../../names.ts";
import { poolAnnotations, type RoutedPool } from "../../routing/routed-pool.ts";
import { poolGatewayWaits } from "../../rules/spec/gateway-waits.ts";
import { poolConfigHasItsEffect } from "../../rules/spec/picker-config.ts";
import {
  allowedNamespacesOf,
  type InferencePoolComponentSpec,
  type LLMServerPoolSpec,
  llmServerPoolKind,
} from "../../spec/llm-server-pool.ts";
import { pickerServingOf } from "../../spec/picker-serving.ts";
import { programPodsOf } from "../../spec/program-pods.ts";
import { defaultRuntimeImage } from "../../topology/runtime-image.ts";
import { runtimePorts } from "../../topology/runtime-ports.ts";
import type { Parsed } from "../../validate/spec-kind.ts";
import { annotated, objectMeta, type PlanContext } from "../object-meta.ts";
import type { PlanOptions } from "../options.ts";
import { planEndpointPicker } from "../picker/endpoint-picker.ts";
import { pickerConfigText } from "../picker/endpoint-picker-config.ts";
import { exportAnnotations } from "../picker/export.ts";
import { type Waiting, waitingOf } from "../picker/flow-control.ts";
import { type PoolRequests, pickForPool, sharedPickerAnnotations } from "../picker/picker-task.ts";
import { poolManifest } from "../pool-manifest.ts";
import { llmServiceRules } from "../programs/rbac-rules.ts";
import { planRole } from "../programs/role.ts";
import { planGatewayObjects } from "./gateway-objects.ts";

/** Returns the picker, if it is deployed with the pool, then the InferencePool. */
export function planPool(
  pool: Parsed<InferencePoolComponentSpec>,
  options: PlanOptions = {},
): Manifest[] {
  const context = contextOf(pool.metadata);
  return [
    ...picker(context, pool.spec, options, {}),
    inferencePool(context, pool.spec, sharedAnnotations(pool.spec, {})),
    ...gatewayObjects(context, pool.spec),
  ];
}

/**
 * Returns the picker of an LLMServerPool, the roles with which the picker reads the LLMServices of other namespaces,
 * the InferencePool, and the LLMServerPool object. Registrations refer to this object, and it has the status.
 */
export function planLLMServerPool(
  { metadata, spec }: Parsed<LLMServerPoolSpec>,
  options: PlanOptions = {},
): Manifest[] {
  const context = contextOf(metadata);
  const { modelServerSelector: selector, allowUnregisteredModels } = spec;
  const others = [...allowedNamespacesOf(spec, metadata.namespace).keys()];
  const { onAdvice } = options;
  if (onAdvice !== undefined) violations([poolGatewayWaits], spec).forEach(onAdvice);
  return [
    ...picker(context, spec, options, waitingOf(spec, poolGatewayType(spec.gateway))),
    ...(spec.endpointPicker.serviceRef === undefined
      ? others.flatMap((namespace) => serviceReader(context, namespace, spec.endpointPicker))
      : []),
    inferencePool(
      context,
      { ...spec, selector },
      {
        ...routingAnnotations(spec, metadata.namespace),
        ...sharedAnnotations(spec, waitingOf(spec, poolGatewayType(spec.gateway))),
      },
    ),
    ...gatewayObjects(context, spec),
    {
      ...llmServerPoolKind,
      metadata: objectMeta(context, metadata.name),
      spec: {
        modelServerSelector: selector,
        targetPorts: spec.targetPorts,
        failureMode: spec.failureMode,
        allowUnregisteredModels,
        allowedNamespaces: spec.allowedNamespaces,
        ...present({
          appProtocol: spec.appProtocol,
          reservedModels: spec.reservedModels,
          fairness: spec.fairness,
          flowControl: spec.flowControl,
        }),
      },
    },
  ];
}

/** Returns the pool in the form that registration uses. The namespace of the spec must be known. */
export const routedPool = (
  { name, namespace }: { readonly name: string; readonly namespace: string },
  spec: LLMServerPoolSpec,
): RoutedPool => ({
  group: groups.inference,
  name: poolObjectName(name),
  namespace,
  ...poolAnnotations(routingAnnotations(spec, namespace)),
});

/** Returns the annotations from which a picker reads the namespaces and the names that they may register. */
function routingAnnotations(spec: LLMServerPoolSpec, namespace: string): Record<string, string> {
  const { allowUnregisteredModels, reservedModels } = spec;
  const allowed = [...allowedNamespacesOf(spec, namespace)];
  const granted = allowed.filter(([, models]) => models !== undefined);
  return {
    ...(allowUnregisteredModels ? {} : { [annotation.registration]: "required" }),
    ...(allowed.length > 0 && {
      [annotation.allowedNamespaces]: allowed.map(([other]) => other).join(","),
    }),
    ...(granted.length > 0 && {
      [annotation.allowedModels]: JSON.stringify(Object.fromEntries(granted)),
    }),
    ...(reservedModels && { [annotation.reservedModels]: JSON.stringify(reservedModels) }),
  };
}

/** Returns the annotations that configure a shared picker for this pool. */
function sharedAnnotations(
  { endpointPicker }: Pick<InferencePoolComponentSpec, "endpointPicker">,
  waiting: Waiting,
): Record<string, string> {
  if (endpointPicker.shared === undefined) return {};
  return sharedPickerAnnotations(
    configText(endpointPicker, waiting),
    requestsOf(endpointPicker, waiting),
  );
}

const requestsOf = (
  { tenantHeader, unparsedBodies }: InferencePoolComponentSpec["endpointPicker"],
  { fairness }: Waiting,
): PoolRequests => ({ tenantHeader: fairness?.byTenantHeader ?? tenantHeader, unparsedBodies });

const configText = (picker: InferencePoolComponentSpec["endpointPicker"], waiting: Waiting) =>
  pickerConfigText(picker, "prefix-cache", { ...waiting, kvEvents: picker.kvEvents });

const contextOf = (metadata: PlanContext["metadata"]): PlanContext => ({
  metadata,
  owner: { [label.pool]: metadata.name },
});

function picker(
  context: PlanContext,
  {
    endpointPicker,
    export: exported,
    networkPolicy,
    gateway,
  }: Pick<InferencePoolComponentSpec, "endpointPicker" | "export" | "networkPolicy" | "gateway">,
  { runtimeImage = defaultRuntimeImage, onAdvice }: PlanOptions,
  waiting: Waiting,
): Manifest[] {
  if (endpointPicker.serviceRef !== undefined) return [];
  if (onAdvice !== undefined)
    violations([poolConfigHasItsEffect], endpointPicker).forEach(onAdvice);
  if (endpointPicker.shared !== undefined) return [];
  const { replicas = 1, metricsAuth = true } = endpointPicker;
  return planEndpointPicker(context, {
    task: pickForPool(
      poolObjectName(context.metadata.name),
      configText(endpointPicker, waiting),
      requestsOf(endpointPicker, waiting),
    ),
    replicas,
    pods: { image: runtimeImage, ...programPodsOf(endpointPicker) },
    metricsAuth,
    networkPolicy,
    // Other components create the routes to the pool.
    gateway: { type: poolGatewayType(gateway), namespaces: undefined },
    scheduling: {},
    serving: pickerServingOf(endpointPicker),
    exported,
  });
}

const gatewayObjects = (
  context: PlanContext,
  { gateway, targetPorts, endpointPicker }: InferencePoolComponentSpec | LLMServerPoolSpec,
): readonly Manifest[] =>
  planGatewayObjects(context, poolGatewayType(gateway), {
    name: poolObjectName(context.metadata.name),
    targetPorts,
    hasPicker: endpointPicker.serviceRef === undefined && endpointPicker.shared === undefined,
  });

function inferencePool(
  context: PlanContext,
  {
    selector,
    targetPorts,
    endpointPicker,
    failureMode,
    appProtocol,
    export: exported,
  }: InferencePoolComponentSpec,
  annotations: Record<string, string>,
): Manifest {
  const metadata = annotated(objectMeta(context, poolObjectName(context.metadata.name)), {
    ...annotations,
    ...exportAnnotations(exported),
  });
  const own = { name: context.metadata.name, port: runtimePorts.extProc };
  const { name, port } = endpointPicker.shared ?? own;
  const picker = endpointPicker.serviceRef ?? { name: endpointPickerName(name), port };
  return poolManifest(metadata, { targetPorts, selector, picker, failureMode, appProtocol });
}

/** Returns a role in a namespace that the pool admits, so that the pool's picker can read the LLMServices there. */
function serviceReader(
  context: PlanContext,
  namespace: string,
  { shared }: Pick<LLMServerPoolSpec["endpointPicker"], "shared">,
): Manifest[] {
  const { metadata: pool } = context;
  const metadata = {
    ...objectMeta(context, serviceReaderName(pool.namespace, pool.name)),
    namespace,
  };
  return planRole("Role", metadata, llmServiceRules, [
    { name: endpointPickerName(shared?.name ?? pool.name), namespace: pool.namespace },
  ]);
}
