import type { ExportMode } from "../spec/export.ts";
import { runtimePorts } from "../topology/runtime-ports.ts";
import type { EndpointPickerImport, ImportedCluster, ParentImport } from "./import-schema.ts";
import type { GatewayView, MemberView, PickerView, PoolView } from "./view.ts";

/** How an exporting cluster is reached, without its conditions. */
export type ClusterDetail = Omit<ImportedCluster, "conditions">;

export const clusterDetail = (
  member: Pick<MemberView, "name" | "bounds" | "labels">,
  mode: ExportMode,
  pool: PoolView,
): ClusterDetail => ({
  name: member.name,
  routingMode: mode,
  targetPortNumber: pool.targetPort,
  ...(pool.picker && { endpointPicker: endpointPicker(pool.picker) }),
  ...(mode === "ParentMode" && { parents: pool.gateways.map(parent) }),
  ...(pool.exportTo !== undefined && { exportTo: pool.exportTo }),
  ...fieldsOf(member),
});

/** Returns the fields of an import that the cluster set's policy defines for a member. */
export function fieldsOf({
  bounds: { networks, maxEndpoints },
  labels,
}: Pick<MemberView, "bounds" | "labels">): Pick<
  ClusterDetail,
  "networks" | "maxEndpoints" | "locality"
> {
  const region = labels[localityLabel.region];
  const zone = labels[localityLabel.zone];
  return {
    ...(networks && { networks: [...networks] }),
    ...(maxEndpoints !== undefined && { maxEndpoints }),
    ...(region !== undefined && { locality: { region, ...(zone !== undefined && { zone }) } }),
  };
}

/** Well-known labels of Kubernetes. */
const localityLabel = {
  region: "topology.kubernetes.io/region",
  zone: "topology.kubernetes.io/zone",
} as const;

function endpointPicker({ name, port, service }: PickerView): EndpointPickerImport {
  if (service === undefined) return { name, service: [] };
  const { type, addresses, ports } = service;
  const { health, metrics } = runtimePorts;
  return {
    name,
    service: [{ type, addresses: [...addresses], ports: [{ number: port }] }],
    ...(ports.includes(health) && { health: { port: health } }),
    ...(ports.includes(metrics) && { metrics: { port: metrics } }),
  };
}

const parent = ({ name, namespace, addresses, ports, programmed }: GatewayView): ParentImport => ({
  name,
  namespace,
  // A Gateway has no Service type; other clusters reach it at its addresses.
  service: [
    { type: "LoadBalancer", addresses: [...addresses], ports: ports.map((number) => ({ number })) },
  ],
  ...(programmed && { conditions: [programmed] }),
});
