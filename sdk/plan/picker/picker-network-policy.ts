import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import type { NetworkPolicyArgument } from "../../spec/network-policy.ts";
import { endpointPickerName } from "../../topology/names.ts";
import { runtimePorts } from "../../topology/runtime-ports.ts";
import {
  type GatewayPlace,
  gatewayPeers,
  pagePeers,
  planNetworkPolicy,
} from "../network-policy.ts";
import type { PlanContext } from "../object-meta.ts";

/** Lets the gateway ask a picker, and its pages be read; nothing where no policies are wanted. */
export function planPickerPolicy(
  context: PlanContext,
  policy: NetworkPolicyArgument,
  gateway: GatewayPlace,
  podLabels: Readonly<Record<string, string>>,
): Manifest[] {
  if (!policy.enabled) return [];
  const { extProc, health, metrics } = runtimePorts;
  return [
    planNetworkPolicy(
      context,
      endpointPickerName(context.metadata.name),
      { matchLabels: podLabels },
      [
        { from: gatewayPeers(policy, gateway), ports: [extProc, health] },
        { from: pagePeers(policy), ports: [metrics] },
      ],
    ),
  ];
}
