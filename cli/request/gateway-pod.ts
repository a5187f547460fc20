import { groups } from "../../kubernetes/kinds/groups.ts";
import { kinds } from "../../kubernetes/kinds/index.ts";
import type { KindAddress } from "../../kubernetes/kinds/kind.ts";
import { unplanned } from "../../kubernetes/kinds/unplanned.ts";
import { collectionPath } from "../../kubernetes/paths.ts";
import type { ApiReader } from "../doctor/api-reader.ts";

/** A pod that serves a Gateway, and the port of one of its listeners in the pod. */
export interface GatewayPod {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

interface GatewayLocation {
  readonly namespace: string;
  readonly name: string;
}

interface Pod {
  readonly metadata: { readonly namespace: string; readonly name: string };
  readonly spec: {
    readonly containers: ReadonlyArray<{
      readonly ports?: ReadonlyArray<{ readonly name?: string; readonly containerPort: number }>;
    }>;
  };
  readonly status?: { readonly conditions?: ReadonlyArray<{ type: string; status: string }> };
}

interface Service {
  readonly spec: {
    readonly ports?: ReadonlyArray<{
      readonly port: number;
      readonly targetPort?: number | string;
    }>;
  };
}

/**
 * Finds the pod by the labels that controllers set on objects for a Gateway: the Gateway API's labels in the Gateway's
 * namespace (GEP-1762), and Envoy Gateway's labels in any namespace. Undefined if no pod is ready, or if the gateway
 * runs outside the cluster.
 */
export async function gatewayPod(
  api: ApiReader,
  location: GatewayLocation,
  listenerPort: number,
): Promise<GatewayPod | undefined> {
  for (const { namespace, labels } of searches(location)) {
    const query = `?labelSelector=${encodeURIComponent(labels)}`;
    const list = async <T>(kind: KindAddress): Promise<readonly T[]> => {
      const path = collectionPath(kind, namespace);
      const seen = await api.get<{ items: readonly T[] }>(`${path}${query}`);
      return seen.state === "seen" ? seen.value.items : [];
    };
    const pod = (await list<Pod>(unplanned.Pod)).find(isReady);
    if (pod === undefined) continue;
    const ports = (await list<Service>(kinds.Service)).flatMap(({ spec }) => spec.ports ?? []);
    const target = ports.find(({ port }) => port === listenerPort)?.targetPort ?? listenerPort;
    return { ...pod.metadata, port: numberOf(target, pod) ?? listenerPort };
  }
  return undefined;
}

const searches = ({ namespace, name }: GatewayLocation) => [
  { namespace, labels: `${groups.gateway}/gateway-name=${name}` },
  {
    namespace: undefined,
    labels: `gateway.envoyproxy.io/owning-gateway-name=${name},gateway.envoyproxy.io/owning-gateway-namespace=${namespace}`,
  },
];

const isReady = ({ status }: Pod) =>
  status?.conditions?.some(({ type, status: holds }) => type === "Ready" && holds === "True") ===
  true;

function numberOf(port: number | string, { spec }: Pod): number | undefined {
  if (typeof port === "number") return port;
  const ports = spec.containers.flatMap(({ ports: named = [] }) => named);
  return ports.find(({ name }) => name === port)?.containerPort;
}
