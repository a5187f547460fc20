import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  AppsV1Api,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  type V1Pod,
} from "@kubernetes/client-node";
import OpenAI from "openai";
import { findEnvoy } from "./envoy/install.ts";
import {
  type Envoy,
  type EnvoyOptions,
  type HttpRoute,
  type InferencePool,
  startEnvoy,
} from "./envoy/start.ts";
import {
  type ModelServer,
  type ModelServerOptions,
  startModelServer,
} from "./model-server/model-server.ts";
import { type PickerProcess, startPicker } from "./picker-process.ts";

/** A namespace of a cluster whose pods are only written down: what they would execute runs here. */
export interface TrafficPlace {
  readonly kubeconfig: string;
  readonly namespace: string;
  /** For files of processes. */
  readonly folder: string;
  /** What a pod's model server does. Default: it takes any model for its own. */
  readonly serverOf?: (pod: V1Pod) => ModelServerOptions;
  readonly gateway?: Partial<EnvoyOptions>;
  /** Where pickers reach the API server. Default: where the kubeconfig says. */
  readonly apiServer?: string;
}

/** A gateway with everything behind it. */
export interface LiveTraffic {
  /** A simulated model server at the address of each pod that a pool selects. */
  readonly servers: ReadonlyArray<{ readonly pod: V1Pod; readonly server: ModelServer }>;
  /** By the name of the pool. */
  readonly pickers: ReadonlyMap<string, PickerProcess>;
  readonly envoy: Envoy;
  readonly client: OpenAI;
  stop(): Promise<void>;
}

/**
 * Runs what the objects of a namespace ask for: Envoy made from its HTTPRoutes and InferencePools, each pool's picker
 * with the arguments and permissions of its Deployment, a model server for each pod of a pool. Waits until every
 * picker is ready.
 */
export async function startLiveTraffic(place: TrafficPlace): Promise<LiveTraffic> {
  await findEnvoy();
  const running: Array<{ stop(): Promise<unknown> }> = [];
  const stop = async () => {
    for (const process of running.splice(0).reverse()) await process.stop();
  };
  try {
    const api = apiOf(place);
    const pools = await api.list<Pool>("inference.networking.k8s.io", "inferencepools");
    const { items: pods } = await api.core.listNamespacedPod({ namespace: place.namespace });
    const servers = await startServers(place, pools, pods);
    running.push(...servers.map(({ server }) => server));
    const pickers = new Map<string, PickerProcess>();
    for (const pool of pools) {
      const picker = await startPoolPicker(place, api, pool);
      pickers.set(pool.metadata.name, picker);
      running.push(picker);
    }
    const envoy = await startEnvoy({
      httpRoutes: await api.list<HttpRoute>("gateway.networking.k8s.io", "httproutes"),
      pools: pools.map((pool) => ({ pool, picker: addressOf(pickers, pool) })),
      ...place.gateway,
    });
    running.push(envoy);
    await Promise.all([...pickers.values()].map(untilReady));
    const client = new OpenAI({ baseURL: `${envoy.url}/v1`, apiKey: "-", maxRetries: 0 });
    return { servers, pickers, envoy, client, stop };
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

function apiOf({ kubeconfig, namespace }: TrafficPlace) {
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

const addressOf = (pickers: ReadonlyMap<string, PickerProcess>, pool: Pool) =>
  `127.0.0.1:${pickers.get(pool.metadata.name)?.ports.grpc}`;

const anyModel = (): ModelServerOptions => ({ anyModel: true, stepMs: 2 });

function startServers(
  { serverOf = anyModel }: TrafficPlace,
  pools: readonly Pool[],
  pods: readonly V1Pod[],
) {
  const selected = pods.flatMap((pod) => {
    const pool = pools.find(({ spec }) =>
      Object.entries(spec.selector.matchLabels).every(
        ([key, value]) => pod.metadata?.labels?.[key] === value,
      ),
    );
    const { podIP: ip } = pod.status ?? {};
    const port = pool?.spec.targetPorts[0]?.number;
    return ip === undefined || port === undefined ? [] : [{ pod, ip, port }];
  });
  return Promise.all(
    selected.map(async ({ pod, ip, port }) => {
      const name = pod.metadata?.name ?? ip;
      return { pod, server: await startModelServer({ ip, port, name, ...serverOf(pod) }) };
    }),
  );
}

/** The picker as its Deployment starts it: its arguments, its configuration, its ServiceAccount's permissions. */
async function startPoolPicker(
  place: TrafficPlace,
  { core, apps }: ReturnType<typeof apiOf>,
  { spec }: Pool,
): Promise<PickerProcess> {
  const { namespace, folder } = place;
  const { name } = spec.endpointPickerRef;
  const deployment = await apps.readNamespacedDeployment({ namespace, name });
  const podSpec = deployment.spec?.template.spec;
  const configMap = podSpec?.volumes?.find((volume) => volume.configMap)?.configMap?.name ?? "";
  const { data = {} } = await core.readNamespacedConfigMap({ namespace, name: configMap });
  mkdirSync(folder, { recursive: true });
  const configFile = join(folder, `${name}.yaml`);
  writeFileSync(configFile, data["config.yaml"] ?? "");
  const args = (podSpec?.containers[0]?.args ?? []).map((argument) =>
    argument.startsWith("--config-file=") ? `--config-file=${configFile}` : argument,
  );
  const account = podSpec?.serviceAccountName ?? "default";
  return await startPicker({
    args: [...args, "--drain-timeout=0s"],
    env: { KUBECONFIG: await accountKubeconfig(place, account), NAMESPACE: namespace },
  });
}

/** A kubeconfig with the permissions of a ServiceAccount: path of the file. */
export async function accountKubeconfig(
  { kubeconfig, namespace, folder, apiServer }: TrafficPlace,
  name: string,
): Promise<string> {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const cluster = config.getCurrentCluster();
  if (cluster === null) throw new Error(`${kubeconfig} names no cluster`);
  const { status } = await config
    .makeApiClient(CoreV1Api)
    .createNamespacedServiceAccountToken({ namespace, name, body: { spec: { audiences: [] } } });
  const account = new KubeConfig();
  account.loadFromClusterAndUser(
    { ...cluster, ...(apiServer !== undefined && { server: apiServer }) },
    { name, token: status?.token ?? "" },
  );
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.kubeconfig`);
  writeFileSync(file, account.exportConfig(), { mode: 0o600 });
  return file;
}

/** The picker has read the pool and its pods. */
async function untilReady(picker: PickerProcess): Promise<void> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const page = await fetch(`http://127.0.0.1:${picker.ports.metrics}/debug/state`);
    const { endpoints } = (await page.json()) as { endpoints?: unknown[] };
    if ((endpoints ?? []).length > 0) return;
    if (Date.now() > deadline) throw new Error(`a picker sees no pods\n${picker.log()}`);
    await sleep(50);
  }
}
