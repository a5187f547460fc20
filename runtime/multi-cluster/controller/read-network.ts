import type { ParentRef } from "../../../kubernetes/kinds/gateway-references.ts";
import { kinds } from "../../../kubernetes/kinds/index.ts";
import type { KubernetesObject } from "../../../kubernetes/values/object.ts";
import type { ServiceImport } from "../../../sdk/multi-cluster/import-schema.ts";
import type { Condition, ServiceView } from "../../../sdk/multi-cluster/view.ts";
import { limits } from "../../limits.ts";

/** Readers of Services, EndpointSlices, HTTPRoutes and Gateways, which determine how an exported pool is reached. */

interface ServiceObject extends KubernetesObject {
  readonly spec?: {
    readonly type?: ServiceImport["type"];
    readonly clusterIP?: string;
    readonly clusterIPs?: readonly string[];
    readonly externalName?: string;
    readonly ports?: ReadonlyArray<{ readonly port: number }>;
  };
  readonly status?: {
    readonly loadBalancer?: {
      readonly ingress?: ReadonlyArray<{ readonly ip?: string; readonly hostname?: string }>;
    };
  };
}

const mostAddresses = limits.memberAddresses.value;
const mostPorts = limits.memberPorts.value;
const longestMessage = limits.memberMessage.value;

/** Whether the text is an IP address or a DNS name. */
const isAddress = (text: unknown): text is string =>
  typeof text === "string" &&
  /^[A-Za-z0-9][A-Za-z0-9.:-]{0,252}$|^::[A-Fa-f0-9:.]{0,40}$/.test(text);

export function readService(object: KubernetesObject): ServiceView {
  const { spec = {}, status } = object as ServiceObject;
  const ingress = (status?.loadBalancer?.ingress ?? []).flatMap(
    ({ ip, hostname }) => ip ?? hostname ?? [],
  );
  const known = (addresses: readonly unknown[]) =>
    addresses.filter(isAddress).slice(0, mostAddresses);
  const clusterIPs = spec.clusterIPs ?? (spec.clusterIP === undefined ? [] : [spec.clusterIP]);
  return {
    type: spec.type ?? "ClusterIP",
    addresses: known(ingress.length > 0 ? ingress : clusterIPs.filter((ip) => ip !== "None")),
    ports: (spec.ports ?? []).slice(0, mostPorts).map(({ port }) => port),
  };
}

/** Number of ready endpoints in an EndpointSlice of a Service. */
export interface SliceObject {
  /** `namespace/name` of the Service. */
  readonly service: string;
  readonly ready: number;
}

export function readSlice(object: KubernetesObject): SliceObject | undefined {
  const { metadata, endpoints } = object as KubernetesObject & {
    endpoints?: ReadonlyArray<{ conditions?: { ready?: boolean } }> | null;
  };
  const service = metadata.labels?.["kubernetes.io/service-name"];
  if (service === undefined || service.length > 63) return undefined;
  // An endpoint without a ready condition is ready (discovery.k8s.io/v1, EndpointConditions).
  const ready = (endpoints ?? []).filter(({ conditions }) => conditions?.ready !== false).length;
  return { service: `${metadata.namespace}/${service}`, ready };
}

/** An HTTPRoute that sends requests to pools. */
export interface RouteObject {
  /** `namespace/name` of each pool. */
  readonly pools: readonly string[];
  readonly gateways: readonly GatewayReference[];
}

interface GatewayReference {
  /** `namespace/name`. */
  readonly key: string;
  /** One listener, by its name or its port; undefined for all. */
  readonly section: string | undefined;
  readonly port: number | undefined;
  /** Whether a controller reports that the Gateway accepted the route. */
  readonly accepted: boolean;
}

interface RouteSpec {
  readonly parentRefs?: readonly ParentRef[];
  readonly rules?: ReadonlyArray<{ readonly backendRefs?: readonly ParentRef[] }>;
}

interface RouteStatus {
  readonly parents?: ReadonlyArray<{
    readonly parentRef?: ParentRef;
    readonly conditions?: ReadonlyArray<{ readonly type: string; readonly status: string }>;
  }>;
}

export function readRoute(object: KubernetesObject): RouteObject | undefined {
  const {
    metadata,
    spec = {},
    status = {},
  } = object as KubernetesObject & {
    spec?: RouteSpec;
    status?: RouteStatus;
  };
  const keyOf = ({ namespace = metadata.namespace, name }: ParentRef) => `${namespace}/${name}`;
  const pools = (spec.rules ?? [])
    .flatMap(({ backendRefs = [] }) => backendRefs)
    .filter(({ group, kind }) => group === kinds.InferencePool.group && kind === "InferencePool")
    .map(keyOf);
  if (pools.length === 0 || metadata.deletionTimestamp !== undefined) return undefined;
  const isAccepted = (reference: ParentRef) =>
    (status.parents ?? []).some(
      ({ parentRef, conditions = [] }) =>
        parentRef !== undefined &&
        keyOf(parentRef) === keyOf(reference) &&
        parentRef.sectionName === reference.sectionName &&
        parentRef.port === reference.port &&
        conditions.some(({ type, status }) => type === "Accepted" && status === "True"),
    );
  return {
    pools: [...new Set(pools)],
    gateways: (spec.parentRefs ?? [])
      .filter(({ kind = "Gateway" }) => kind === "Gateway")
      .map((reference) => ({
        key: keyOf(reference),
        section: reference.sectionName,
        port: reference.port,
        accepted: isAccepted(reference),
      })),
  };
}

export interface GatewayObject {
  readonly addresses: readonly string[];
  readonly listeners: ReadonlyArray<{ readonly name: string; readonly port: number }>;
  readonly programmed: Condition | undefined;
}

export function readGateway(object: KubernetesObject): GatewayObject {
  const { spec, status } = object as KubernetesObject & {
    spec?: { listeners?: GatewayObject["listeners"] };
    status?: { addresses?: ReadonlyArray<{ value: string }>; conditions?: readonly Condition[] };
  };
  const programmed = status?.conditions?.find(({ type }) => type === "Programmed");
  return {
    addresses: (status?.addresses ?? [])
      .map(({ value }) => value)
      .filter(isAddress)
      .slice(0, mostAddresses),
    listeners: (spec?.listeners ?? [])
      .slice(0, mostPorts)
      .map(({ name, port }) => ({ name, port })),
    programmed: programmed && {
      ...programmed,
      message: String(programmed.message).slice(0, longestMessage),
    },
  };
}
