import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { V1Pod } from "@kubernetes/client-node";
import type { InferenceServiceArgs, RouterRoleArgs } from "../../components/index.ts";
import type { InferenceServiceInput } from "../../sdk/index.ts";
import { label, lwsLabel } from "../../sdk/names.ts";
import type { AccountLocation } from "../../testing/api/account-kubeconfig.ts";
import { type AttachedCluster, freshNamespace } from "../../testing/api/cluster.ts";
import { appliedService } from "../../testing/clusters/applied-service.ts";
import { sharedCluster } from "../../testing/clusters/shared-cluster.ts";
import { findEnvoy } from "../../testing/envoy/install.ts";
import {
  type SidecarProcess,
  sidecarContainerOf,
  startDeployedSidecar,
} from "../../testing/pods/deployed-sidecar.ts";
import { startStandIns } from "../../testing/stand-ins/start.ts";
import { type LiveTraffic, startLiveTraffic } from "../../testing/traffic/live-traffic.ts";
import { findVllm } from "./install-vllm.ts";
import { PodEngine } from "./pod-engine.ts";

type Roles = InferenceServiceArgs["roles"];

interface StatePage {
  readonly endpoints: ReadonlyArray<{
    readonly metrics: { readonly ageMilliseconds: number } | null;
  }>;
}

/** A pod whose containers run: its engine, and the decode sidecar if it has one. */
export class EnginePod {
  readonly pod: V1Pod;
  readonly engine: PodEngine;
  readonly #place: AccountLocation;
  sidecar: SidecarProcess | undefined;

  constructor(site: string, pod: V1Pod, place: AccountLocation) {
    this.pod = pod;
    this.engine = new PodEngine(site, pod);
    this.#place = place;
  }

  get name(): string {
    return this.pod.metadata?.name ?? "";
  }

  /** Address at which the pool reaches it. */
  get address(): string {
    return `${this.engine.command.ip}:8000`;
  }

  /** Waits until it knows a prefiller. */
  async startSidecar(): Promise<void> {
    const container = sidecarContainerOf(this.pod);
    if (container === undefined) return;
    this.sidecar = await startDeployedSidecar(this.#place, this.pod, container);
  }

  /** Ends all its processes immediately. */
  async kill(): Promise<void> {
    await Promise.all([this.engine.kill(), this.sidecar?.stop(0)]);
    this.sidecar = undefined;
  }

  async stop(): Promise<void> {
    await this.kill();
    await this.engine.stop();
  }
}

/**
 * An InferenceService as it is planned, on an API server whose kubelets are played but for one thing: the engines of its
 * pods, their sidecars, the picker and Envoy run, and a pod is Ready when its engine is healthy.
 */
export class EngineService {
  readonly name: string;
  readonly namespace: string;
  readonly cluster: AttachedCluster;
  readonly #site: string;
  readonly #healthy: Set<string>;
  readonly #folder: string;
  readonly #stops: Array<() => Promise<unknown> | unknown>;
  readonly #pods: EnginePod[] = [];
  #traffic: LiveTraffic | undefined;

  private constructor(
    fields: Pick<EngineService, "name" | "namespace" | "cluster"> & {
      readonly site: string;
      readonly healthy: Set<string>;
      readonly folder: string;
      readonly stops: Array<() => Promise<unknown> | unknown>;
    },
  ) {
    this.name = fields.name;
    this.namespace = fields.namespace;
    this.cluster = fields.cluster;
    this.#site = fields.site;
    this.#healthy = fields.healthy;
    this.#folder = fields.folder;
    this.#stops = fields.stops;
  }

  /** Plans and makes the service; no engine runs yet. */
  static async create(name: string, roles: Roles): Promise<EngineService> {
    const [site] = await Promise.all([findVllm(), findEnvoy()]);
    const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-engines-"));
    const cluster = await sharedCluster();
    const namespace = await freshNamespace(cluster, "engines");
    const healthy = new Set<string>();
    const standIns = await startStandIns(cluster, {
      namespace,
      tickMs: 50,
      readiness: ({ status }) => (healthy.has(status.podIP ?? "") ? 1 : "never"),
    });
    const spec = { roles } as unknown as InferenceServiceInput["spec"];
    await appliedService(cluster).apply({ metadata: { name, namespace }, spec });
    return new EngineService({
      ...{ name, namespace, cluster, site, healthy, folder },
      stops: [
        () => rmSync(folder, { recursive: true, force: true }),
        () => cluster.detach(),
        () => standIns.stop(),
      ],
    });
  }

  /** Starts the engines of all pods, then their sidecars, the picker and Envoy. */
  async start(): Promise<void> {
    const pods = await this.#untilPods();
    await Promise.all(pods.map((pod) => this.startEngine(pod)));
    await Promise.all(this.#pods.map((each) => each.startSidecar()));
    const { kubeconfig } = this.cluster;
    this.#traffic = await startLiveTraffic({
      ...{ kubeconfig, namespace: this.namespace, folder: this.#folder },
      servedElsewhere: true,
    });
  }

  /** Starts the engine of a pod, and has the pod Ready when that is healthy. */
  async startEngine(pod: V1Pod): Promise<EnginePod> {
    const { kubeconfig } = this.cluster;
    const place = { kubeconfig, namespace: this.namespace, folder: this.#folder };
    const started = new EnginePod(this.#site, pod, place);
    this.#pods.push(started);
    await this.restart(started);
    return started;
  }

  /** The container of a pod's engine starts again, at the pod's address. */
  async restart({ engine, name }: EnginePod): Promise<void> {
    const seconds = await engine.start();
    console.log(`vLLM of ${name} served after ${seconds.toFixed(0)} s`);
    this.#healthy.add(engine.command.ip);
    while (!isReady(await this.readPod(name))) await sleep(50);
  }

  get traffic(): LiveTraffic {
    if (this.#traffic === undefined) throw new Error("the service was not started");
    return this.#traffic;
  }

  /** Pods of a component type that run, those that were started last first. */
  pods(type: "worker" | "prefiller" | "decoder"): EnginePod[] {
    return this.#pods
      .filter(({ pod }) => pod.metadata?.labels?.[label.componentType] === type)
      .reverse();
  }

  readPod(name: string): Promise<V1Pod> {
    return this.cluster.request<V1Pod>("GET", `/api/v1/namespaces/${this.namespace}/pods/${name}`);
  }

  /** Deletes a pod, whose LeaderWorkerSet makes another one of its name; waits for that and its address. */
  async replace({ pod, name }: EnginePod): Promise<V1Pod> {
    await this.cluster.request("DELETE", `/api/v1/namespaces/${this.namespace}/pods/${name}`);
    for (;;) {
      const pods = await this.#listPods();
      const other = pods.find(
        ({ metadata, status }) =>
          metadata?.name === name && metadata.uid !== pod.metadata?.uid && status?.podIP,
      );
      if (other !== undefined) return other;
      await sleep(50);
    }
  }

  /** A page of the picker. */
  async picker<T>(path: string): Promise<T> {
    const [picker] = this.traffic.pickers.values();
    return (await (await fetch(`http://127.0.0.1:${picker?.ports.metrics}${path}`)).json()) as T;
  }

  /**
   * Waits until the picker has just read the metrics of `engines` engines: an engine that has not answered for two
   * seconds gets no requests, which can happen on a busy machine.
   */
  async untilRead(engines: number): Promise<void> {
    for (;;) {
      const { endpoints } = await this.picker<StatePage>("/debug/state");
      const read = endpoints.filter(({ metrics }) => (metrics?.ageMilliseconds ?? 1_000) < 1_000);
      if (read.length >= engines) return;
      await sleep(20);
    }
  }

  async stop(): Promise<void> {
    await this.#traffic?.stop();
    await Promise.all(this.#pods.map((each) => each.stop()));
    for (const stop of this.#stops.reverse()) await stop();
  }

  async #listPods(): Promise<V1Pod[]> {
    const { items } = await this.cluster.request<{ items: V1Pod[] }>(
      "GET",
      `/api/v1/namespaces/${this.namespace}/pods`,
    );
    return items.filter(
      ({ metadata }) =>
        metadata?.labels?.[label.service] === this.name &&
        metadata.labels[lwsLabel.workerIndex] === "0",
    );
  }

  async #untilPods(): Promise<V1Pod[]> {
    const sets = await this.cluster.request<{ items: Array<{ spec: { replicas: number } }> }>(
      "GET",
      `/apis/leaderworkerset.x-k8s.io/v1/namespaces/${this.namespace}/leaderworkersets`,
    );
    const wanted = sets.items.reduce((sum, { spec }) => sum + spec.replicas, 0);
    for (;;) {
      const pods = await this.#listPods();
      if (pods.length === wanted && pods.every(({ status }) => status?.podIP)) return pods;
      await sleep(50);
    }
  }
}

const isReady = ({ status }: V1Pod): boolean =>
  status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true;

/** A router behind a Gateway of its own. */
export const gatewayRouter: RouterRoleArgs = {
  name: "router",
  componentType: "router",
  gateway: {
    gatewayClassName: "test",
    listeners: [{ name: "http", port: 80, protocol: "HTTP" }],
  },
};
