import {
  AppsV1Api,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  PatchStrategy,
  setHeaderOptions,
  type V1Pod,
} from "@kubernetes/client-node";
import OpenAI from "openai";
import { findEnvoy } from "../envoy/install.ts";
import {
  type Envoy,
  type EnvoyOptions,
  type HttpRoute,
  type InferencePool,
  type PickerReplica,
  startEnvoy,
} from "../envoy/start.ts";
import { startDeployedPicker, untilItSeesPods } from "../pods/deployed-picker.ts";
import type { PickerProcess } from "../pods/picker-process.ts";
import { RunningPod, type ServersLocation, type ServingPod } from "../pods/running-pod.ts";
import { type Stoppable, stopAll } from "../processes/stop-all.ts";
import { type LoadBalancer, startLoadBalancer } from "./load-balancer.ts";

/** A namespace of a cluster whose pods are only written down: what they would execute runs here. */
export interface TrafficLocation extends ServersLocation {
  readonly gateway?: Partial<EnvoyOptions>;
  /** Something else serves at the pods' addresses, such as a real engine. Default false. */
  readonly servedElsewhere?: boolean;
  /** Pods of the pool's picker that run already, or will. Default: each pool's picker is started. */
  readonly pickerReplicas?: readonly PickerReplica[];
}

/** A gateway with everything behind it. */
export interface LiveTraffic {
  /** A simulated model server in each pod that a pool selects, behind the pod's decode sidecar if it has one. */
  readonly servers: readonly ServingPod[];
  /** By the name of the pool, which those for imports have too. */
  readonly pickers: ReadonlyMap<string, PickerProcess>;
  readonly envoy: Envoy;
  readonly client: OpenAI;
  /** Requests that its model servers have taken so far. */
  servedCount(): number;
  /** The model servers are gone at once, and so are the pickers for other clusters. */
  cutOff(): Promise<void>;
  /** They are back at their addresses. */
  restore(): Promise<void>;
  /**
   * Marks its pods ready in the API server or, if false, in an unknown state, as on a lost node; their servers run on.
   */
  setReady(ready: boolean): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Runs what the objects of a namespace ask for: Envoy made from its HTTPRoutes and InferencePools, each picker with the
 * arguments and permissions of its Deployment and its Service's load balancer, a model server for each pod of a pool,
 * and the sidecars of decoders with the arguments and permissions of theirs.
 * Waits until every picker of a pool is ready.
 */
export async function startLiveTraffic(place: TrafficLocation): Promise<LiveTraffic> {
  await findEnvoy();
  const running: Stoppable[] = [];
  const stop = () => stopAll(running);
  const keep = <Process extends Stoppable>(process: Process): Process => {
    running.push(process);
    return process;
  };
  try {
    const api = apiOf(place);
    const pools = await api.list<Pool>("inference.networking.k8s.io", "inferencepools");
    const httpRoutes = await api.list<HttpRoute>("gateway.networking.k8s.io", "httproutes");
    const { items: pods } = await api.core.listNamespacedPod({ namespace: place.namespace });
    const servers = await startServers(place, pools, pods);
    running.push({ stop: () => Promise.all(servers.map((each) => each.stop())) });
    const pickers = new Map<string, PickerProcess>();
    const balancers: LoadBalancer[] = [];
    for (const { metadata, spec } of place.pickerReplicas === undefined ? pools : []) {
      const { name } = spec.endpointPickerRef;
      const picker = keep(await startDeployedPicker({ place, ...api, name }));
      pickers.set(metadata.name, picker);
      balancers.push(...(await balancersOf(place, api, name, picker)).map(keep));
    }
    const envoy = keep(
      await startEnvoy({
        httpRoutes,
        pools: pools.map((pool) => ({
          pool,
          ...(place.pickerReplicas === undefined
            ? { picker: addressOf(pickers, pool.metadata.name) }
            : {
                picker: place.pickerReplicas[0]?.address ?? "",
                replicas: place.pickerReplicas,
                tls: false,
              }),
        })),
        ...place.gateway,
      }),
    );
    const withPods = pools.filter((pool) => pods.some((pod) => isIn(pool, pod)));
    await Promise.all(
      withPods.flatMap(({ metadata }) => pickers.get(metadata.name) ?? []).map(untilItSeesPods),
    );
    const client = new OpenAI({ baseURL: `${envoy.url}/v1`, apiKey: "-", maxRetries: 0 });
    return {
      ...{ servers, pickers, envoy, client, stop },
      async cutOff() {
        await Promise.all(balancers.map((balancer) => balancer.cut()));
        await Promise.all(servers.map((each) => each.stop()));
      },
      servedCount: () =>
        servers.reduce((sum, { server, earlier }) => sum + earlier + server.served.length, 0),
      async setReady(ready) {
        const [phase, status] = ready ? ["Running", "True"] : ["Unknown", "Unknown"];
        const body = { status: { phase, conditions: [{ type: "Ready", status }] } };
        for (const { pod } of servers)
          await api.core.patchNamespacedPodStatus(
            { name: pod.metadata?.name ?? "", namespace: place.namespace, body },
            setHeaderOptions("Content-Type", PatchStrategy.StrategicMergePatch),
          );
      },
      async restore() {
        await Promise.all(servers.map((each) => each.start()));
        await Promise.all(balancers.map((balancer) => balancer.restore()));
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Pool = InferencePool & {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly selector: { readonly matchLabels: Record<string, string> };
    readonly targetPorts: ReadonlyArray<{ readonly number: number }>;
    readonly endpointPickerRef: { readonly name: string };
  };
};

function apiOf({ kubeconfig, namespace }: TrafficLocation) {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const custom = config.makeApiClient(CustomObjectsApi);
  return {
    core: config.makeApiClient(CoreV1Api),
    apps: config.makeApiClient(AppsV1Api),
    async list<T>(group: string, plural: string): Promise<T[]> {
      const found = await custom.listNamespacedCustomObject({
        group,
        version: "v1",
        namespace,
        plural,
      });
      return (found as { items: T[] }).items;
    },
  };
}

const addressOf = (pickers: ReadonlyMap<string, PickerProcess>, name: string) =>
  `127.0.0.1:${pickers.get(name)?.ports.grpc}`;

const isIn = ({ spec }: Pool, { metadata }: V1Pod): boolean =>
  Object.entries(spec.selector.matchLabels).every(
    ([key, value]) => metadata?.labels?.[key] === value,
  );

/** Returns the balancers in front of a picker that other clusters ask. */
async function balancersOf(
  { namespace }: TrafficLocation,
  { core }: ReturnType<typeof apiOf>,
  name: string,
  { ports }: PickerProcess,
): Promise<LoadBalancer[]> {
  const service = await core.readNamespacedService({ name, namespace });
  if (service.spec?.type !== "LoadBalancer") return [];
  const targets = { 9002: ports.grpc, 9003: ports.health, 9090: ports.metrics };
  return [await startLoadBalancer({ core, service, targets })];
}

async function startServers(
  place: TrafficLocation,
  pools: readonly Pool[],
  pods: readonly V1Pod[],
): Promise<RunningPod[]> {
  if (place.servedElsewhere) return [];
  const selected = pods.flatMap((pod) => {
    const pool = pools.find((pool) => isIn(pool, pod));
    const { podIP: ip } = pod.status ?? {};
    const port = pool?.spec.targetPorts[0]?.number;
    return ip === undefined || port === undefined ? [] : [new RunningPod(place, pod, ip, port)];
  });
  const started = await Promise.allSettled(selected.map((each) => each.start()));
  const failed = started.find(({ status }) => status === "rejected");
  if (failed === undefined) return selected;
  await Promise.all(selected.map((each) => each.stop()));
  throw (failed as PromiseRejectedResult).reason;
}
