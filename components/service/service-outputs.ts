import type * as pulumi from "@pulumi/pulumi";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { inferencePoolName, serviceHost } from "../../sdk/names.ts";
import { serviceReadiness, type Wait } from "../../sdk/plan/readiness-text.ts";
import {
  type InferenceService,
  type Metadata,
  routerOf,
} from "../../sdk/spec/inference-service.ts";
import type { RoleLayout } from "../../sdk/topology/role-layout.ts";
import { type RouterPicker, routerPickerOf } from "../../sdk/topology/router-picker.ts";
import { runtimePorts } from "../../sdk/topology/runtime-ports.ts";
import { servingPortOfRole } from "../../sdk/topology/serving-port.ts";
import { inNamespace } from "../base/namespace.ts";
import type { InferenceServiceNodes } from "./inference-service-node-keys.ts";
import { reachedByOwnGateway } from "./service-url.ts";

/** Size of a role. */
export interface ComponentSummary {
  /** Replicas in the spec. */
  desiredReplicas: number;
  /** Pods per replica. */
  nodesPerReplica: number;
  /** Pods of all replicas. */
  totalPods: number;
}

/** Addresses of a service, as `host:port` that resolves in the cluster. */
export interface Endpoints {
  /** Host names of the route, as written. */
  hostnames: string[];
  /** Address of each replica's model server: the pod that accepts its requests. */
  leaders: string[];
  /** Address of the endpoint picker's ext_proc gRPC service; undefined without a router. */
  endpointPicker?: string;
  /** Address of the endpoint picker's metrics; undefined without a router. */
  metrics?: string;
}

export interface ServicePlan {
  readonly metadata: Metadata;
  readonly service: InferenceService;
  readonly layouts: readonly RoleLayout[];
  readonly manifests: readonly Manifest[];
  readonly wait: Wait;
}

interface MadeService {
  readonly args: ServicePlan;
  /** Namespace, which is known only after names have been claimed in it. */
  readonly namespace: pulumi.Input<string>;
  readonly nodes: Pick<InferenceServiceNodes, "gateway" | "route">;
}

/** Outputs that an InferenceService registers. */
export const serviceOutputs = {
  serviceName: ({ args: { metadata } }: MadeService) => metadata.name,
  poolName: ({ args: { metadata, service } }: MadeService) =>
    routerOf(service.spec) && inferencePoolName(metadata.name),
  endpoints: ({ args: { service, layouts }, namespace }: MadeService) =>
    inNamespace(endpointsOf(service, layouts), namespace),
  components: ({ args: { layouts } }: MadeService) => summaryOf(layouts),
  url: ({ args: { metadata }, nodes }: MadeService) =>
    reachedByOwnGateway(metadata.name, nodes).apply(({ url }) => url),
  urlStatus: ({ args: { metadata }, nodes }: MadeService) =>
    reachedByOwnGateway(metadata.name, nodes).apply(({ urlStatus }) => urlStatus),
  readiness: ({ args, namespace }: MadeService) =>
    inNamespace(serviceReadiness(args, args.wait), namespace),
};

export function summaryOf(layouts: readonly RoleLayout[]): Record<string, ComponentSummary> {
  return Object.fromEntries(
    layouts.map(({ role, replicas, size }) => [
      role.name,
      { desiredReplicas: replicas, nodesPerReplica: size, totalPods: replicas * size },
    ]),
  );
}

/** Returns the endpoints as text, before their Outputs are known. */
export function endpointsOf({ metadata, spec }: InferenceService, layouts: readonly RoleLayout[]) {
  const { name, namespace } = metadata;
  const router = routerOf(spec);
  return {
    hostnames: router?.httproute?.hostnames ?? [],
    leaders: layouts.flatMap((layout) =>
      leadersOf(layout, namespace, servingPortOfRole(layout.role, router)),
    ),
    ...(router === undefined ? {} : pickerAddresses(routerPickerOf(name, router), namespace)),
  };
}

function pickerAddresses({ name, port }: RouterPicker, namespace: string) {
  const host = serviceHost(name, namespace);
  return { endpointPicker: `${host}:${port}`, metrics: `${host}:${runtimePorts.metrics}` };
}

/**
 * Returns the addresses of leaders. The LeaderWorkerSet controller names them `{lws}-{group}`, behind the headless
 * Service `{lws}`.
 */
function leadersOf({ workloads }: RoleLayout, namespace: string, port = 0): string[] {
  if (port === 0) return [];
  return workloads.flatMap(({ name, replicas }) =>
    Array.from(
      { length: replicas },
      (_, group) => `${name}-${group}.${name}.${namespace}.svc:${port}`,
    ),
  );
}
