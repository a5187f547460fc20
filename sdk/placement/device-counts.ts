import { acceleratorResource } from "../../kubernetes/values/accelerators.ts";
import { type ClusterNode, isOpen } from "./cluster-node.ts";
import { devicesIn } from "./known-node.ts";
import { allocatableOf } from "./node-fit.ts";

/**
 * Returns the accelerators of the ready, uncordoned nodes by resource, in the order of the nodes. If several resources
 * count the same devices in different units, only the requested resources are listed, otherwise only the first
 * resource.
 *
 * @param requested resources that pods request
 */
export function deviceCounts(
  nodes: readonly ClusterNode[],
  requested: ReadonlySet<string>,
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const node of nodes.filter(isOpen))
    for (const [resource, count] of devicesIn(allocatableOf(node), requested))
      if (count > 0) counts.set(resource, (counts.get(resource) ?? 0) + count);
  const families = Map.groupBy(
    counts.keys(),
    (resource) => acceleratorResource(resource)?.sameDevices ?? resource,
  );
  const listed = [...families.values()].flatMap((family) => {
    const asked = family.filter((resource) => requested.has(resource));
    return asked.length > 0 ? asked : family.slice(0, 1);
  });
  return new Map(listed.map((resource) => [resource, counts.get(resource) ?? 0]));
}

/** Returns numbers with their unit: `32 nvidia.com/gpu, 8 huawei.com/Ascend910`. */
export const formatDevices = (counts: ReadonlyMap<string, number>): string =>
  [...counts].map(([resource, count]) => `${count} ${resource}`).join(", ");
