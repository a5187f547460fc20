import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { endpointPickerName } from "../../names.ts";
import { runtimePorts } from "../../topology/runtime-ports.ts";
import { gatewayPeers, pagePeers, planNetworkPolicy } from "../network-policy.ts";
import type { PlanContext } from "../object-meta.ts";
import type { Picker } from "./picker-objects.ts";

/**
 * Returns a policy that lets the gateway call a picker and lets clients read its pages. Empty if policies are disabled.
 */
export function planPickerPolicy(
  context: PlanContext,
  { networkPolicy: policy, gateway, askedAt, proxiedPages }: Picker,
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
        { from: gatewayPeers(policy, gateway), ports: [askedAt ?? extProc, health] },
        { from: proxiedPages ? undefined : pagePeers(policy), ports: [metrics] },
      ],
    ),
  ];
}
