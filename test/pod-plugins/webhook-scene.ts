import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "../../kubernetes/api/api-error.ts";
import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import type { Manifest } from "../../sdk/index.ts";
import { label, podPluginConfigurationName, podPluginWebhookName } from "../../sdk/names.ts";
import { planPodPluginWebhook } from "../../sdk/plan/controllers/pod-plugin-webhook.ts";
import { PodPluginRunner } from "../../sdk/spec/controllers.ts";
import { type ApiClient, connect } from "../../testing/api/api-client.ts";
import { type AttachedCluster, writeKubeconfig } from "../../testing/api/cluster.ts";
import { objectPath } from "../../testing/object-path.ts";
import { type PickerProcess, startRuntime } from "../../testing/pods/picker-process.ts";
import { freePorts } from "../../testing/processes/free-ports.ts";
import { readyPod } from "../../testing/stand-ins/lws-example.ts";
import { leaderPod, workerPod } from "../../testing/stand-ins/lws-pods.ts";
import type { LeaderWorkerSet, Pod } from "../../testing/stand-ins/objects.ts";

const configurations = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
const configuration = `${configurations}/${podPluginConfigurationName}`;
const module = join(import.meta.dirname, "own-plugins.fixture.ts");

interface Configuration {
  readonly webhooks: ReadonlyArray<{
    readonly clientConfig: { readonly caBundle?: string; readonly service?: object };
  }>;
}

/** Longest time for the API server to call a started webhook with its current CA bundle, in ms. */
const calledWithinMs = 30_000;

/**
 * A cluster with the objects in the webhook's plan, except that the webhook is a process of this machine: it has the
 * permissions of its ServiceAccount, and a URL instead of a Service, because no Service is routed here.
 */
export class WebhookScene {
  readonly cluster: AttachedCluster;
  readonly namespace: string;
  readonly #folder = mkdtempSync(join(tmpdir(), "pod-plugins-"));
  readonly #urls: readonly string[];
  #kubeconfig = "";
  #podCreator: ApiClient | undefined;
  #port = 0;
  #running: PickerProcess | undefined;

  constructor(cluster: AttachedCluster, namespace: string, urls: readonly string[]) {
    this.cluster = cluster;
    this.namespace = namespace;
    this.#urls = urls;
  }

  async install(): Promise<void> {
    const { cluster, namespace } = this;
    const runner = PodPluginRunner.parse({ webhookUrls: this.#urls });
    const metadata = { name: "controllers", namespace, labels: {}, annotations: {} };
    for (const manifest of planPodPluginWebhook(metadata, runner, {
      image: "image:1",
      metricsAuth: true,
      networkPolicy: { enabled: true },
    })) {
      await cluster.apply(objectPath(manifest), manifest);
    }
    const { status } = await cluster.request<{ status: { token: string } }>(
      "POST",
      `/api/v1/namespaces/${namespace}/serviceaccounts/${podPluginWebhookName}/token`,
      { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} },
    );
    const connection = { url: cluster.url, ca: cluster.ca, token: status.token };
    this.#kubeconfig = writeKubeconfig(this.#folder, connection);
    this.#podCreator = await this.#statefulSetController();
  }

  /** A client of the account by which Kubernetes makes the pods of StatefulSets. */
  async #statefulSetController(): Promise<ApiClient> {
    const { cluster } = this;
    const accounts = "/api/v1/namespaces/kube-system/serviceaccounts";
    const metadata = { name: "statefulset-controller" };
    await cluster.request("POST", accounts, { metadata }).catch(unlessThere);
    const { status } = await cluster.request<{ status: { token: string } }>(
      "POST",
      `${accounts}/${metadata.name}/token`,
      { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} },
    );
    return connect({ ...cluster, token: status.token });
  }

  /** Address of the webhook itself. */
  get url(): string {
    return `https://localhost:${this.#port}/mutate-pods`;
  }

  /** Starts the webhook and waits until the API server can call it. */
  async start(...args: string[]): Promise<void> {
    await this.startProcess(...args);
    await this.#untilCalled();
  }

  /** Starts the webhook, always on the same port. */
  async startProcess(...args: string[]): Promise<void> {
    this.#port ||= (await freePorts(1))[0] ?? 0;
    const flags = [
      `--kubeconfig=${this.#kubeconfig}`,
      `--namespace=${this.namespace}`,
      `--port=${this.#port}`,
      ...["--metrics-port=0", "--health-port=0", "--certificate-hostname=localhost"],
      "--metrics-endpoint-auth=false",
      ...["--certificate-check-interval=200ms", `--plugin-modules=${module}`],
      ...["--enable-webhook-plugins", `--webhook-plugin-urls=${this.#urls.join(",")}`],
    ];
    this.#running = await startRuntime("pod-plugin-webhook", { args: [...flags, ...args] });
    await this.#reachByUrl();
  }

  async stop(): Promise<void> {
    await this.#running?.stop();
    this.#running = undefined;
  }

  get #ports(): { readonly webhook: number; readonly metrics: number } {
    return this.#running?.ports as unknown as { webhook: number; metrics: number };
  }

  async end(): Promise<void> {
    await this.stop();
    this.#podCreator?.close();
    await this.cluster.request("DELETE", configuration);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Reviews so far, as the webhook counts them. */
  metrics(series = "_count"): Promise<string> {
    return this.lines(`pod_plugin_admission_duration_seconds${series}`);
  }

  /** Lines of the webhook's metrics that begin so. */
  async lines(start: string): Promise<string> {
    const response = await fetch(`http://127.0.0.1:${this.#ports.metrics}/metrics`);
    const lines = (await response.text()).split("\n");
    return lines.filter((line) => line.startsWith(start)).join("\n");
  }

  /** Bundles by which the API server verifies the webhook, in PEM. */
  async bundles(): Promise<string[]> {
    const { webhooks } = await this.cluster.request<Configuration>("GET", configuration);
    return webhooks.map(({ clientConfig: { caBundle = "" } }) =>
      Buffer.from(caBundle, "base64").toString(),
    );
  }

  /** Applies the objects of a plan that the webhook and the controller read, and answers its LeaderWorkerSets. */
  async apply(plan: readonly Manifest[]): Promise<LeaderWorkerSet[]> {
    for (const manifest of plan) await this.cluster.apply(objectPath(manifest), manifest);
    return Promise.all(
      plan
        .filter(({ kind }) => kind === "LeaderWorkerSet")
        .map((manifest) => this.cluster.request<LeaderWorkerSet>("GET", objectPath(manifest))),
    );
  }

  /** Creates a leader as the LeaderWorkerSet controller would. */
  createLeader(lws: LeaderWorkerSet, group = 0, query = ""): Promise<Pod> {
    return this.#create(withoutOwner(leaderPod(lws, group)), query);
  }

  createWorker(lws: LeaderWorkerSet, leader: Pod, worker: number): Promise<Pod> {
    return this.#create(withoutOwner(workerPod(lws, leader, worker)), "");
  }

  #create(pod: object, query: string): Promise<Pod> {
    return (this.#podCreator ?? this.cluster).request(
      "POST",
      `/api/v1/namespaces/${this.namespace}/pods${query}`,
      pod,
    );
  }

  /** Creates a leader by hand, as an administrator. */
  createByHand(lws: LeaderWorkerSet, group = 0): Promise<Pod> {
    return this.cluster.request(
      "POST",
      `/api/v1/namespaces/${this.namespace}/pods`,
      withoutOwner(leaderPod(lws, group)),
    );
  }

  /** Says as a kubelet would whether a pod is ready, since a moment. */
  async report(name: string, ready: boolean, since: string): Promise<void> {
    const { status } = readyPod({ metadata: { name } } as never);
    const conditions = [
      { type: "Ready", status: ready ? "True" : "False", lastTransitionTime: since },
    ];
    await this.cluster.request(
      "PATCH",
      `/api/v1/namespaces/${this.namespace}/pods/${name}/status`,
      { status: { ...status, conditions } },
      mergePatchType,
    );
  }

  get(name: string): Promise<Pod> {
    return this.cluster.request("GET", `/api/v1/namespaces/${this.namespace}/pods/${name}`);
  }

  /** Events of a reason: message and count, in the order of their messages. */
  async events(reason: string): Promise<Array<{ on: string; message: string; count: number }>> {
    interface Stored {
      reason: string;
      message: string;
      count: number;
      involvedObject: { kind: string; name: string };
    }
    const { items } = await this.cluster.request<{ items: Stored[] }>(
      "GET",
      `/api/v1/namespaces/${this.namespace}/events`,
    );
    return items
      .filter((event) => event.reason === reason)
      .map(({ message, count, involvedObject: { kind, name } }) => ({
        on: `${kind}/${name}`,
        message,
        count,
      }))
      .sort((a, b) => (a.message < b.message ? -1 : 1));
  }

  /** Events of a reason on one object. */
  async eventsOn({ metadata }: { metadata: { name: string } }, reason: string) {
    return (await this.events(reason)).filter(({ on }) => on.endsWith(metadata.name));
  }

  /** Leaves the CA bundle as it is: the webhook may write it in the meantime. */
  async #reachByUrl(): Promise<void> {
    const { webhooks } = await this.cluster.request<Configuration>("GET", configuration);
    const { url } = this;
    const patch = webhooks.flatMap(({ clientConfig: { service } }, at) => [
      ...(service === undefined
        ? []
        : [{ op: "remove", path: `/webhooks/${at}/clientConfig/service` }]),
      { op: "add", path: `/webhooks/${at}/clientConfig/url`, value: url },
    ]);
    await this.cluster.request("PATCH", configuration, patch, "application/json-patch+json");
  }

  /** Rehearses the creation of a pod, which the webhook refuses, until the API server reaches the webhook. */
  async #untilCalled(): Promise<void> {
    const pod = {
      metadata: { name: "rehearsal", labels: { [label.podPlugins]: "Fail" } },
      spec: { containers: [{ name: "engine", image: "engine:1" }] },
    };
    const path = `/api/v1/namespaces/${this.namespace}/pods?dryRun=All`;
    const deadline = Date.now() + calledWithinMs;
    for (;;) {
      const refusal = await this.cluster.request("POST", path, pod).then(
        () => "the pod was admitted",
        ({ message }: Error) => message,
      );
      if (refusal.includes("pod plugins:")) return;
      if (Date.now() > deadline) throw new Error(`the webhook is not called: ${refusal}`);
      await sleep(50);
    }
  }
}

const unlessThere = (error: unknown) => {
  if (!(error instanceof ApiError) || error.status !== 409) throw error;
};

/** The garbage collector of a cluster removes pods whose owners are not there. */
const withoutOwner = <T extends { metadata: object }>(pod: T): T => {
  const { ownerReferences: _, ...metadata } = pod.metadata as Record<string, unknown>;
  return { ...pod, metadata };
};
