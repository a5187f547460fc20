import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { ApiClient } from "../api/api-client.ts";
import { type EtcdLocation, putObject } from "../api/etcd-objects.ts";
import { controlLoop, forEach } from "./control-loop.ts";
import { informer } from "./informer.ts";
import {
  isDeleting,
  isReady,
  type KubeObject,
  keyOf,
  ownerReference,
  type Pod,
  type Service,
} from "./objects.ts";
import type { StandIn, StandInOptions } from "./stand-in.ts";

interface EndpointSlice extends KubeObject {
  addressType: string;
  ports?: object[];
  endpoints: object[];
}

export interface EndpointSliceOptions extends StandInOptions {
  /**
   * Store for slices with the addresses of the pods, for programs that connect to them. The API server refuses loopback
   * addresses, which the pods have here, but it serves stored ones. Default: the API server gets slices with other
   * addresses.
   */
  readonly etcd?: EtcdLocation;
}

/** STAND-IN for the EndpointSlice controller: one slice for each Service that has a selector. */
export async function startEndpointSliceController(
  client: ApiClient,
  { namespace, onError, etcd }: EndpointSliceOptions,
): Promise<StandIn> {
  const abort = new AbortController();
  const loop = controlLoop(
    () =>
      forEach(
        services
          .list()
          .filter((service) => service.spec.selector !== undefined && !isDeleting(service)),
        async (service) => {
          const wanted = sliceOf(service, pods.list(), etcd === undefined ? elsewhere : podAddress);
          const current = slices.list().find((slice) => keyOf(slice) === keyOf(wanted));
          if (current !== undefined && isSame(current, wanted)) return;
          if (etcd === undefined)
            await client.apply(slicePath(wanted), wanted, "endpointslice-stand-in");
          else await putObject(etcd, `endpointslices/${keyOf(wanted)}`, stored(wanted, current));
        },
      ),
    onError,
  );
  const watching = { onChange: () => loop.trigger(), signal: abort.signal };
  const scope = namespace === undefined ? "" : `/namespaces/${namespace}`;
  const services = informer<Service>(client, `/api/v1${scope}/services`, watching);
  const slices = informer<EndpointSlice>(
    client,
    `/apis/discovery.k8s.io/v1${scope}/endpointslices`,
    watching,
  );
  const pods = informer<Pod>(client, `/api/v1${scope}/pods`, watching);
  await Promise.all([services.synced, slices.synced, pods.synced]);
  return {
    async stop() {
      abort.abort();
      await loop.stop();
    },
  };
}

type Slice = ReturnType<typeof sliceOf>;

const slicePath = ({ metadata }: Slice) =>
  `/apis/discovery.k8s.io/v1/namespaces/${metadata.namespace}/endpointslices/${metadata.name}`;

/** Returns a slice as the API server would store it. */
const stored = (wanted: Slice, current: EndpointSlice | undefined): object => ({
  ...wanted,
  metadata: {
    ...wanted.metadata,
    uid: current?.metadata.uid ?? randomUUID(),
    creationTimestamp: current?.metadata.creationTimestamp ?? new Date().toISOString(),
  },
});

function sliceOf(
  service: Service,
  pods: readonly Pod[],
  addressOf: (pod: Pod) => string | undefined,
) {
  const { name, namespace = "default" } = service.metadata;
  const { selector = {}, ports = [], publishNotReadyAddresses = false } = service.spec;
  const members = pods
    .filter((pod) => pod.metadata.namespace === namespace && pod.status.podIP !== undefined)
    .filter(({ metadata }) =>
      Object.entries(selector).every(([label, value]) => metadata.labels?.[label] === value),
    )
    .sort((a, b) => a.metadata.name.localeCompare(b.metadata.name));
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      name: `${name}-stand-in`,
      namespace,
      labels: { "kubernetes.io/service-name": name },
      ownerReferences: [ownerReference(service)],
    },
    addressType: "IPv4",
    ports: ports.map(({ name: portName, port, targetPort, protocol = "TCP" }) => ({
      ...(portName !== undefined && { name: portName }),
      port: typeof targetPort === "number" ? targetPort : port,
      protocol,
    })),
    endpoints: members.map((pod) => ({
      addresses: [addressOf(pod)],
      conditions: { ready: publishNotReadyAddresses || (isReady(pod) && !isDeleting(pod)) },
      targetRef: { kind: "Pod", name: pod.metadata.name, namespace, uid: pod.metadata.uid },
    })),
  };
}

const podAddress = (pod: Pod) => pod.status.podIP;

/** 10.x.y.z stands for 127.x.y.z. */
const elsewhere = (pod: Pod) => podAddress(pod)?.replace(/^127\./, "10.");

/** The API server drops empty lists. */
const isSame = (current: EndpointSlice, wanted: Slice) =>
  isDeepStrictEqual(current.endpoints ?? [], wanted.endpoints) &&
  isDeepStrictEqual(current.ports ?? [], wanted.ports);
