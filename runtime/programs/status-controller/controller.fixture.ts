import { KubeConfig } from "@kubernetes/client-node";
import { expect } from "vitest";
import { type KubernetesClient, newKubernetesClient } from "../../../kubernetes/api/client.ts";
import { mergePatchType } from "../../../kubernetes/api/patch-types.ts";
import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { label } from "../../../sdk/names.ts";
import type { InferenceService } from "../../../sdk/spec/inference-service.ts";
import { type PodState, podsOf } from "../../../sdk/status/service-objects.fixture.ts";
import type { AttachedCluster } from "../../../testing/api/cluster.ts";
import { objectPath } from "../../../testing/object-path.ts";
import { newLog } from "../../manager/log.ts";
import { StatusController, type StatusControllerOptions } from "./controller.ts";

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

export interface StoredObject {
  readonly metadata: { readonly resourceVersion: string; readonly generation: number };
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly components?: Readonly<Record<string, { readonly phase: string }>>;
    readonly pools?: ReadonlyArray<{ name: string; conditions: readonly Condition[] }>;
    readonly endpoints?: { readonly known: number; readonly ready: number };
    readonly observedGeneration?: number;
  };
}

export function clientOf(cluster: AttachedCluster): KubernetesClient {
  const config = new KubeConfig();
  config.loadFromFile(cluster.kubeconfig);
  return newKubernetesClient(config);
}

/** A namespace with a status controller, and methods to change its objects. */
export class Scene {
  readonly cluster: AttachedCluster;
  readonly namespace: string;
  readonly logged: string[] = [];
  readonly client: KubernetesClient;
  readonly #controllers: StatusController[] = [];
  readonly #owners = new Map<string, PickerMetadata>();

  constructor(cluster: AttachedCluster, namespace: string) {
    this.cluster = cluster;
    this.namespace = namespace;
    this.client = clientOf(cluster);
  }

  /** Starts a leading controller for the namespace. */
  start(options: Partial<StatusControllerOptions> = {}): StatusController {
    const controller = new StatusController({
      client: this.client,
      namespaces: [this.namespace],
      readPage: () => Promise.reject(new Error("no picker")),
      pickerIntervalMs: 3_600_000,
      log: newLog({ verbosity: 9, write: (line) => this.logged.push(line), now: Date.now }),
      timing: { backOff: { firstMs: 50, longestMs: 500 }, probeIntervalMs: 200 },
      ...options,
    });
    this.#controllers.push(controller);
    controller.start();
    controller.lead(true);
    return controller;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#controllers.splice(0).map((controller) => controller.stop()));
  }

  async end(): Promise<void> {
    await this.stop();
    this.client.close();
  }

  path(apiVersion: string, plural: string, name = ""): string {
    const root = apiVersion.includes("/") ? "/apis" : "/api";
    return `${root}/${apiVersion}/namespaces/${this.namespace}/${plural}${name && `/${name}`}`;
  }

  async apply(manifest: Manifest): Promise<void> {
    const object = { ...manifest, metadata: { ...manifest.metadata, namespace: this.namespace } };
    await this.cluster.apply(objectPath(object), object);
  }

  /** Writes a status as another controller would. A PodGroup has no status subresource. */
  async report(path: string, status: object): Promise<void> {
    const at = path.includes("/podgroups/") ? path : `${path}/status`;
    await this.cluster.request("PATCH", at, { status }, mergePatchType);
  }

  get(apiVersion: string, plural: string, name: string): Promise<StoredObject> {
    return this.cluster.request<StoredObject>("GET", this.path(apiVersion, plural, name));
  }

  /** Creates the Deployment and ReplicaSet of a picker once, and returns the metadata of its pods. */
  async pickerOwner(name: string): Promise<PickerMetadata> {
    const known = this.#owners.get(name);
    if (known !== undefined) return known;
    const labels = { [label.app]: name, "pod-template-hash": "h" };
    const create = (kind: string, metadata: object) =>
      this.cluster.request<Uid>("POST", this.path("apps/v1", `${kind.toLowerCase()}s`), {
        ...{ apiVersion: "apps/v1", kind, metadata },
        spec: {
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: "epp", image: "i" }] } },
        },
      });
    const ownedBy = (kind: string, owner: string, { metadata: { uid } }: Uid) => [
      { apiVersion: "apps/v1", kind, name: owner, uid, controller: true },
    ];
    const deployment = await create("Deployment", { name });
    const set = await create("ReplicaSet", {
      ...{ name: `${name}-h`, labels },
      ownerReferences: ownedBy("Deployment", name, deployment),
    });
    const metadata = { labels, ownerReferences: ownedBy("ReplicaSet", `${name}-h`, set) };
    this.#owners.set(name, metadata);
    return metadata;
  }

  /** Recreates the pods of a service in the given states. The pods of its picker get the metadata in `picker`. */
  async pods(
    service: InferenceService,
    state: (pod: string) => PodState | undefined,
    picker?: PickerMetadata,
  ) {
    for (const pod of podsOf(service, state) as Pod[]) {
      const { metadata, spec, status } = pod;
      const path = this.path("v1", "pods", metadata.name);
      const { name, labels } = metadata;
      const owner = labels[label.app] === undefined ? undefined : picker;
      await this.cluster.request("DELETE", `${path}?gracePeriodSeconds=0`).catch(() => undefined);
      await this.cluster.request("POST", this.path("v1", "pods"), {
        metadata: { name, ...owner, labels: { ...labels, ...owner?.labels } },
        spec: { ...spec, containers: [{ name: "vllm", image: "i" }] },
      });
      await this.report(path, status);
    }
  }

  /** Returns the controller's writes to objects in the namespace so far. */
  writes(): string[] {
    return this.cluster
      .writes()
      .filter(
        ({ uri, userAgent }) =>
          userAgent === "pulumi-inference" && uri.includes(`/${this.namespace}/`),
      )
      .map(({ verb, uri }) => `${verb} ${uri.split(`/${this.namespace}/`)[1]}`);
  }
}

interface Uid {
  readonly metadata: { readonly uid: string };
}

export interface PickerMetadata {
  readonly labels: Readonly<Record<string, string>>;
  readonly ownerReferences: readonly object[];
}

interface Pod {
  readonly metadata: { readonly name: string; readonly labels: Record<string, string> };
  readonly spec: object;
  readonly status: object;
}

/** Formats each condition as `Available=True/MinimumReady`. */
export const conditionsOf = (
  status: { readonly conditions?: readonly Condition[] } | undefined,
): string[] =>
  (status?.conditions ?? []).map(({ type, status: holds, reason }) => `${type}=${holds}/${reason}`);

export const soon = { timeout: 20_000, interval: 25 };

/** Polls `read` until it returns the expected value. */
export const eventually = <T>(read: () => Promise<T>): ReturnType<typeof expect.poll> =>
  expect.poll(read, soon);
