import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { present } from "../../../kubernetes/values/present.ts";
import { createdGateway, poolGatewayType } from "../../gateways/index.ts";
import { kvEventRanksOf } from "../../invariants/kv-event-ranks.ts";
import {
  type InferenceServiceSpec,
  inferenceRolesOf,
  routerOf,
} from "../../spec/inference-service.ts";
import type { RouterRole } from "../../spec/role.ts";
import { kvEventPorts } from "../../topology/kv-events.ts";
import { enginePolicyName, label } from "../../topology/names.ts";
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
 * The NetworkPolicy of a service's engines. Among themselves they may open any connection: NCCL, Ray and the transfer of
 * KV caches choose their ports as they run. Others reach the serving port alone: the gateway's proxies and the picker.
 * Engines on the host's network have none: to a policy their connections come from nodes.
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
    // The picker carries the label of the service as well.
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

/** Who asks engines behind a router. */
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
    // Events have the tokens of prompts: nobody else hears them.
    ...(router.kvEvents === true
      ? [{ from: [picker], ports: eventPorts(kvEventRanksOf(spec)) }]
      : []),
    // Gateways of other clusters connect to the pods themselves.
    ...(router.export?.mode === "EndpointMode"
      ? [{ from: exportPeers(router.export), ports }]
      : []),
  ];
}

/** Ports of the publishers of so many ranks, and of what repeats their events. */
const eventPorts = (ranks: number): Door["ports"] =>
  Object.values(kvEventPorts).map((first) =>
    ranks === 1 ? first : { first, last: first + ranks - 1 },
  );

/** The gateway of a router: that which it creates, and those which its route names. */
export function gatewayLocation(
  { gateway, httproute }: RouterRole,
  namespace: string,
): GatewayLocation {
  const named = (httproute?.parentRefs ?? []).map(
    ({ namespace: other }) => (other as unknown) ?? namespace,
  );
  const created = createdGateway(gateway) === undefined ? [] : [namespace];
  const places = [...created, ...named];
  return { type: poolGatewayType(gateway), namespaces: places.length === 0 ? undefined : places };
}

interface Template {
  readonly spec?: { readonly hostNetwork?: unknown };
}

/** Whether pods of a LeaderWorkerSet are. What is known later may turn out to be so. */
export function isOnHostNetwork({ spec }: Manifest): boolean {
  const { leaderTemplate, workerTemplate } = (
    spec as { leaderWorkerTemplate: { leaderTemplate?: Template; workerTemplate?: Template } }
  ).leaderWorkerTemplate;
  return Object.values(present({ leaderTemplate, workerTemplate })).some(
    (template) => (template?.spec?.hostNetwork ?? false) !== false,
  );
}
