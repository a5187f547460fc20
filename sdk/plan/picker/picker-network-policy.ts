import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import type { NetworkPolicyArgument } from "../../spec/network-policy.ts";
import { endpointPickerName } from "../../topology/names.ts";
import { runtimePorts } from "../../topology/runtime-ports.ts";
import {
  type GatewayLocation,
  gatewayPeers,
  type PortRange,
  pagePeers,
  planNetworkPolicy,
} from "../network-policy.ts";
import type { PlanContext } from "../object-meta.ts";

/**
 * Returns a policy that lets the gateway call a picker and lets clients read its pages. Empty if policies are disabled.
 */
export function planPickerPolicy(
  context: PlanContext,
  policy: NetworkPolicyArgument,
  gateway: GatewayLocation,
  podLabels: Readonly<Record<string, string>>,
  askedAt: number | PortRange = runtimePorts.extProc,
): Manifest[] {
  if (!policy.enabled) return [];
  const { health, metrics } = runtimePorts;
  return [
    planNetworkPolicy(
      context,
      endpointPickerName(context.metadata.name),
      { matchLabels: podLabels },
      [
        { from: gatewayPeers(policy, gateway), ports: [askedAt, health] },
        { from: pagePeers(policy), ports: [metrics] },
      ],
    ),
  ];
}
