import { isAccelerator } from "../../kubernetes/values/accelerators.ts";
import { parseQuantity } from "../../kubernetes/values/quantity.ts";
import { type CheckResult, forbidden, ok, warning } from "./check-result.ts";
import { type ClusterObservation, type Node, seenOf } from "./observation.ts";

const check = "accelerators";

/**
 * Reports the devices that device plugins offer on nodes. Without a plugin, pods that request devices are never
 * scheduled.
 */
export function checkAccelerators({ nodes }: ClusterObservation): CheckResult[] {
  if (nodes.state === "forbidden") return [forbidden(check, "nodes", nodes)];
  const amounts = new Map<string, { devices: number; nodes: number }>();
  for (const node of seenOf(nodes))
    for (const [resource, devices] of acceleratorsOf(node)) {
      const before = amounts.get(resource) ?? { devices: 0, nodes: 0 };
      amounts.set(resource, { devices: before.devices + devices, nodes: before.nodes + 1 });
    }
  if (amounts.size > 0) {
    const parts = [...amounts].map(
      ([resource, { devices, nodes: count }]) =>
        `${devices} ${resource} on ${count} ${count === 1 ? "node" : "nodes"}`,
    );
    return [ok(check, `allocatable: ${parts.join(", ")}`)];
  }
  return [
    warning(check, {
      title: "no node has an allocatable accelerator",
      seen: "engines stay Pending until a node has one: the vendor's device plugin is missing, the node pool has no nodes yet, or devices are allocated only through resource claims (kubectl get resourceslices)",
      fix: "helm upgrade --install gpu-operator gpu-operator --repo https://helm.ngc.nvidia.com/nvidia -n gpu-operator --create-namespace",
    }),
  ];
}

const acceleratorsOf = ({ status }: Node): Array<[string, number]> =>
  Object.entries(status?.allocatable ?? {})
    .filter(([resource]) => isAccelerator(resource))
    .map(([resource, amount]): [string, number] => [
      resource,
      Number((parseQuantity(amount)?.nanos ?? 0n) / 1_000_000_000n),
    ])
    .filter(([, devices]) => devices > 0);
