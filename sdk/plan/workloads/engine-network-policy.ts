import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { present } from "../../../kubernetes/values/present.ts";
import { kvEventPorts } from "../../engines/containers/kv-events.ts";
import { createdGateway, poolGatewayType } from "../../gateways/index.ts";
import { enginePolicyName, label } from "../../names.ts";
import { kvEventRanksOf } from "../../rules/spec/kv-event-ranks.ts";
import {
  type InferenceServiceSpec,
  inferenceRolesOf,
  routerOf,
} from "../../spec/inference-service.ts";
import type { RouterRole } from "../../spec/role.ts";
import { routerPickerOf } from "../../topology/router-picker.ts";
import { servingPortOfRole } from "../../topology/serving-port.ts";
import {
  type Door,
  exportPeers,
  type GatewayLocation,
  gatewayPeers,
  planNetworkPolicy,
  scraperPeers,
  unroutedPeers,
} from "../network-policy.ts";
import type { PlanContext } from "../object-meta.ts";

/**
 * Returns the NetworkPolicy of a service's engines. Between engines every connection is permitted, because NCCL, Ray
 * and the transfer of KV cache blocks choose ports at run time. The gateway's proxies and the picker may connect only
 * to the serving port. No policy is planned for engines on the host network, because their connections have a node's
 * address.
 */
export function planEnginePolicy(
  context: PlanContext,
  spec: InferenceServiceSpec,
  workloads: readonly Manifest[],
): Manifest[] {
  const { networkPolicy } = spec;
  if (!networkPolicy.enabled || workloads.some(isOnHostNetwork)) return [];
  const { name, namespace } = context.metadata;
  const engines = {
    matchLabels: { [label.service]: name },
    // Excludes the picker, which also has the service's label.
    matchExpressions: [{ key: label.componentType, operator: "Exists" }],
  };
  const router = routerOf(spec);
  const ports = [
    ...new Set([
      ...inferenceRolesOf(spec).flatMap((role) => servingPortOfRole(role, router) ?? []),
      ...(router?.targetPorts ?? []),
    ]),
  ].sort((a, b) => a - b);
  return [
    planNetworkPolicy(context, enginePolicyName(name), engines, [
      { from: [{ podSelector: engines }] },
      ...(router === undefined
        ? [{ from: unroutedPeers(networkPolicy), ports }]
        : routed(router, spec, { name, namespace }, ports)),
      { from: scraperPeers(networkPolicy) },
    ]),
  ];
}

/** Returns the peers of engines behind a router. */
function routed(
  router: RouterRole,
  spec: InferenceServiceSpec,
  { name, namespace }: { readonly name: string; readonly namespace: string },
  ports: readonly number[],
): Door[] {
  const app = routerPickerOf(name, router).name;
  const picker = { podSelector: { matchLabels: { [label.app]: app } } };
  const proxies = gatewayPeers(spec.networkPolicy, gatewayLocation(router, namespace));
  return [
    { from: proxies && [picker, ...proxies], ports },
    // Events contain the tokens of prompts, so only the picker may read them.
    ...(router.kvEvents === true
      ? [{ from: [picker], ports: eventPorts(kvEventRanksOf(spec)) }]
      : []),
    // Gateways of other clusters connect directly to the pods.
    ...(router.export?.mode === "EndpointMode"
      ? [{ from: exportPeers(router.export), ports }]
      : []),
  ];
}

/** Ports on which `ranks` ranks publish events, and on which they replay them. */
const eventPorts = (ranks: number): Door["ports"] =>
  Object.values(kvEventPorts).map((first) =>
    ranks === 1 ? first : { first, last: first + ranks - 1 },
  );

/** Returns the location of a router's gateways: the Gateway that it creates, and the Gateways that its route names. */
export function gatewayLocation(
  { gateway, httproute, access }: RouterRole,
  namespace: string,
): GatewayLocation {
  const named = (httproute?.parentRefs ?? []).map(
    ({ namespace: other }) => (other as unknown) ?? namespace,
  );
  const created = createdGateway(gateway) === undefined ? [] : [namespace];
  const places = [...created, ...named];
  return {
    type: poolGatewayType(gateway),
    namespaces: places.length === 0 ? undefined : places,
    isRestricted: access !== undefined,
  };
}

interface Template {
  readonly spec?: { readonly hostNetwork?: unknown };
}

/** Reports whether pods of a LeaderWorkerSet use the host network. A value that is not yet known counts as true. */
export function isOnHostNetwork({ spec }: Manifest): boolean {
  const { leaderTemplate, workerTemplate } = (
    spec as { leaderWorkerTemplate: { leaderTemplate?: Template; workerTemplate?: Template } }
  ).leaderWorkerTemplate;
  return Object.values(present({ leaderTemplate, workerTemplate })).some(
    (template) => (template?.spec?.hostNetwork ?? false) !== false,
  );
}
