import { isAccelerator } from "../../kubernetes/values/dns-label.ts";
import { parseQuantity } from "../../kubernetes/values/quantity.ts";
import { type Finding, forbidden } from "./finding.ts";
import { type ClusterObservation, type Node, seenOf } from "./observation.ts";

const check = "accelerators";

/** What device plugins offer on nodes: without them, pods that ask for GPUs wait for ever. */
export function checkAccelerators({ nodes }: ClusterObservation): Finding[] {
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
    return [{ check, level: "ok", title: `allocatable: ${parts.join(", ")}` }];
  }
  return [
    {
      check,
      level: "warning",
      title: "no node has an accelerator to allocate",
      seen: "engines that ask for GPUs wait for ever; the device plugin is missing, or the node pool has no node yet",
      fix: "helm upgrade --install gpu-operator gpu-operator --repo https://helm.ngc.nvidia.com/nvidia -n gpu-operator --create-namespace",
    },
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
