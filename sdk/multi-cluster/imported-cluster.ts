import type { ExportMode } from "../spec/export.ts";
import { runtimePorts } from "../topology/runtime-ports.ts";
import type { EndpointPickerImport, ImportedCluster, ParentImport } from "./import-schema.ts";
import type { GatewayView, MemberView, PickerView, PoolView } from "./view.ts";

/** How an exporting cluster is reached, before it is said whether it is ready. */
export type ClusterDetail = Omit<ImportedCluster, "conditions">;

export const clusterDetail = (
  name: string,
  mode: ExportMode,
  pool: PoolView,
  bounds: MemberView["bounds"],
): ClusterDetail => ({
  name,
  routingMode: mode,
  targetPortNumber: pool.targetPort,
  ...(pool.picker && { endpointPicker: endpointPicker(pool.picker) }),
  ...(mode === "ParentMode" && { parents: pool.gateways.map(parent) }),
  ...written(bounds),
});

/** The bounds as an import says them; nothing where there are none. */
export const written = ({
  networks,
  maxEndpoints,
}: MemberView["bounds"]): Pick<ClusterDetail, "networks" | "maxEndpoints"> => ({
  ...(networks && { networks: [...networks] }),
  ...(maxEndpoints !== undefined && { maxEndpoints }),
});

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
  // A Gateway does not say how it is exposed; its addresses are those that others reach.
  service: [
    { type: "LoadBalancer", addresses: [...addresses], ports: ports.map((number) => ({ number })) },
  ],
  ...(programmed && { conditions: [programmed] }),
});
