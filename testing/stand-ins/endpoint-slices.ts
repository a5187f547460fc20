import { isDeepStrictEqual } from "node:util";
import type { ApiClient } from "../api-client.ts";
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

/** STAND-IN for the EndpointSlice controller: one slice for each Service that has a selector. */
export async function startEndpointSliceController(
  client: ApiClient,
  { namespace, onError }: StandInOptions,
): Promise<StandIn> {
  const abort = new AbortController();
  const loop = controlLoop(
    () =>
      forEach(
        services
          .list()
          .filter((service) => service.spec.selector !== undefined && !isDeleting(service)),
        async (service) => {
          const wanted = sliceOf(service, pods.list());
          const current = slices.list().find((slice) => keyOf(slice) === keyOf(wanted));
          if (current !== undefined && isSame(current, wanted)) return;
          await client.apply(slicePath(wanted), wanted, "endpointslice-stand-in");
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

function sliceOf(service: Service, pods: readonly Pod[]) {
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
      addresses: [endpointAddress(pod)],
      conditions: { ready: publishNotReadyAddresses || (isReady(pod) && !isDeleting(pod)) },
      targetRef: { kind: "Pod", name: pod.metadata.name, namespace, uid: pod.metadata.uid },
    })),
  };
}

/** An endpoint may not be a loopback address, which those of the pods here are; 10.x.y.z stands for 127.x.y.z. */
const endpointAddress = (pod: Pod) => pod.status.podIP?.replace(/^127\./, "10.");

/** The API server drops empty lists. */
const isSame = (current: EndpointSlice, wanted: Slice) =>
  isDeepStrictEqual(current.endpoints ?? [], wanted.endpoints) &&
  isDeepStrictEqual(current.ports ?? [], wanted.ports);
