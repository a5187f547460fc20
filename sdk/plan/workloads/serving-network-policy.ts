import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import type { PodSpec } from "../../spec/role.ts";
import {
  declaredServingPort,
  engineIndexOf,
  servingPortOf,
} from "../../topology/engine-container.ts";
import { enginePolicyName, kthenaLabel } from "../../topology/names.ts";
import type { ModelServing } from "../../validate/model-serving.ts";
import { planNetworkPolicy, scraperPeers, unroutedPeers } from "../network-policy.ts";
import type { PlanContext } from "../object-meta.ts";
import { isOnHostNetwork } from "./engine-network-policy.ts";

/**
 * The NetworkPolicy of a ModelServing's pods, as that of an InferenceService's engines: among themselves they open any
 * connection, others come to the ports of its entry pods. Which gateway and which picker are in front is not known here.
 */
export function planServingPolicy(
  context: PlanContext,
  { metadata, spec: { networkPolicy, template } }: ModelServing,
  workloads: readonly Manifest[],
): Manifest[] {
  if (!networkPolicy.enabled || workloads.some(isOnHostNetwork)) return [];
  const pods = { matchLabels: { [kthenaLabel.name]: metadata.name } };
  const ports = template.roles.flatMap(({ entryTemplate }) => portsOf(entryTemplate.spec));
  return [
    planNetworkPolicy(context, enginePolicyName(metadata.name), pods, [
      { from: [{ podSelector: pods }] },
      {
        from: unroutedPeers(networkPolicy),
        ports: [...new Set(ports)].sort((a, b) => a - b),
      },
      { from: scraperPeers(networkPolicy) },
    ]),
  ];
}

/** Ports on which an entry pod serves: its engine's, and that of a sidecar in front of it. */
function portsOf(spec: PodSpec): number[] {
  const at = engineIndexOf(spec);
  return spec.containers.flatMap((container, index) => {
    const { ports = [] } = container;
    const serving =
      index === at ? servingPortOf(container) : declaredServingPort(ports)?.containerPort;
    return serving === undefined ? ports.map(({ containerPort }) => containerPort) : [serving];
  });
}
