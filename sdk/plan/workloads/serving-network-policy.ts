import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import {
  declaredServingPort,
  engineIndexOf,
  servingPortOf,
} from "../../engines/containers/engine-container.ts";
import { enginePolicyName, kthenaLabel } from "../../names.ts";
import type { PodSpec } from "../../schemas/pod-template.ts";
import type { ModelServing } from "../../validate/model-serving.ts";
import { planNetworkPolicy, scraperPeers, unroutedPeers } from "../network-policy.ts";
import type { PlanContext } from "../object-meta.ts";
import { isOnHostNetwork } from "./engine-network-policy.ts";

/**
 * Returns the NetworkPolicy of a ModelServing's pods, which is like the policy of an InferenceService's engines.
 * Between the pods every connection is permitted; other clients may connect only to the ports of entry pods. The
 * gateway and the picker are not known here.
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

/** Ports on which an entry pod serves: the engine's port, and the port of a sidecar in front of it. */
function portsOf(spec: PodSpec): number[] {
  const at = engineIndexOf(spec);
  return spec.containers.flatMap((container, index) => {
    const { ports = [] } = container;
    const serving =
      index === at ? servingPortOf(container) : declaredServingPort(ports)?.containerPort;
    return serving === undefined ? ports.map(({ containerPort }) => containerPort) : [serving];
  });
}
