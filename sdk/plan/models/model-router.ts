import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { modelRouterSupportOf } from "../../gateways/index.ts";
import { label, manager, modelRouterName, modelRouterRoleName } from "../../names.ts";
import type { ModelRouterSpec } from "../../spec/model-router.ts";
import { pickerGraceSeconds } from "../../spec/picker-drain.ts";
import { programPodsOf } from "../../spec/program-pods.ts";
import { defaultRuntimeImage } from "../../topology/runtime-image.ts";
import { runtimePorts } from "../../topology/runtime-ports.ts";
import type { Parsed } from "../../validate/spec-kind.ts";
import { metricsAuthArg, planControllerWorkload } from "../controllers/controller-workload.ts";
import { gatewayPeers, pagePeers } from "../network-policy.ts";
import { clusterObjectMeta, objectMeta, type PlanContext } from "../object-meta.ts";
import type { PlanOptions } from "../options.ts";
import { metricsAuthRules, modelRouterRules } from "../programs/rbac-rules.ts";
import { planRole } from "../programs/role.ts";
import { planIdentity } from "../programs/service-account.ts";

/**
 * Returns the ServiceAccount, ClusterRole, Deployment, PodDisruptionBudget, Service and NetworkPolicy of a model
 * router, in this order, then the objects by which its gateway calls it.
 */
export function planModelRouter(
  { metadata, spec }: Parsed<ModelRouterSpec>,
  { runtimeImage = defaultRuntimeImage }: PlanOptions = {},
): Manifest[] {
  const { gateway, metricsAuth, replicas } = spec;
  const { namespace } = metadata;
  const name = modelRouterName(metadata.name);
  const context: PlanContext = { metadata, owner: { [label.managedBy]: manager } };
  const support = modelRouterSupportOf(gateway.type);
  return [
    ...planIdentity(context, name, {}),
    ...planRole(
      "ClusterRole",
      clusterObjectMeta(context, modelRouterRoleName(namespace, metadata.name)),
      [...modelRouterRules, ...(metricsAuth ? metricsAuthRules : [])],
      [{ name, namespace }],
    ),
    ...planControllerWorkload(context, {
      name,
      program: "model-router",
      replicas,
      args: [
        `--gateway=${namespace}/${gateway.name}`,
        `--secure-serving=${support?.tls ?? true}`,
        metricsAuthArg(metricsAuth),
      ],
      pods: { image: runtimeImage, ...programPodsOf(spec) },
      doors: doorsOf(spec, namespace),
      serves: {
        name: "grpc",
        serviceName: "grpc-ext-proc",
        port: runtimePorts.extProc,
        containerPort: runtimePorts.extProc,
        appProtocol: support?.appProtocol ?? "kubernetes.io/h2c",
      },
      // Without a ready model router the gateway refuses every request.
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      terminationGracePeriodSeconds: pickerGraceSeconds(undefined),
    }),
    ...(support?.objects({
      name,
      namespace,
      gateway: gateway.name,
      metadata: objectMeta(context, name),
      port: runtimePorts.extProc,
      healthPort: runtimePorts.health,
    }) ?? []),
  ];
}

/** Permits the gateway's proxies, which may also check health, and the readers of the metrics page. */
function doorsOf({ networkPolicy, gateway }: ModelRouterSpec, namespace: string) {
  if (!networkPolicy.enabled) return undefined;
  const { extProc, health, metrics } = runtimePorts;
  return [
    {
      from: gatewayPeers(networkPolicy, { type: gateway.type, namespaces: [namespace] }),
      ports: [extProc, health],
    },
    { from: pagePeers(networkPolicy), ports: [metrics] },
  ];
}
