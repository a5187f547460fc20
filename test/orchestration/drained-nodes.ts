import { setTimeout as sleep } from "node:timers/promises";
import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import { label } from "../../sdk/names.ts";
import type { GpuCluster, GpuPart } from "../../testing/clusters/gpu-cluster.ts";
import { isDeleting, type Pod } from "../../testing/stand-ins/objects.ts";

/** The nodes of a service, and how their pods leave them. */
export class DrainedNodes {
  readonly #client: GpuCluster["client"];
  readonly #part: GpuPart;

  constructor({ client }: Pick<GpuCluster, "client">, part: GpuPart) {
    this.#client = client;
    this.#part = part;
  }

  /** Returns the nodes on which engines run. */
  async names(): Promise<string[]> {
    return [...new Set((await this.#engines()).flatMap(({ spec }) => spec.nodeName ?? []))].sort();
  }

  /** Returns the engines' pods of a node. */
  async pods(node: string): Promise<Pod[]> {
    return (await this.#engines()).filter(({ spec }) => spec.nodeName === node);
  }

  cordon(node: string, unschedulable: boolean): Promise<unknown> {
    const path = `/api/v1/nodes/${node}`;
    return this.#client.request("PATCH", path, { spec: { unschedulable } }, mergePatchType);
  }

  /** Evicts the engines' pods of a node as `kubectl drain` does: again while a budget refuses. */
  async drain(node: string): Promise<void> {
    for (;;) {
      const pods = await this.pods(node);
      if (pods.length === 0) return;
      for (const pod of pods.filter((pod) => !isDeleting(pod))) await this.#evict(pod);
      await sleep(200);
    }
  }

  /** Deletes the engines' pods of a node, without regard to budgets. Resolves when the API server has marked them. */
  async reclaim(node: string, graceSeconds: number): Promise<void> {
    const options = { apiVersion: "v1", kind: "DeleteOptions", gracePeriodSeconds: graceSeconds };
    for (const { metadata } of await this.pods(node))
      await this.#client.request("DELETE", `${this.#path}/${metadata.name}`, options);
  }

  async #evict({ metadata: { name } }: Pod): Promise<void> {
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name } };
    await this.#client
      .request("POST", `${this.#path}/${name}/eviction`, eviction)
      .catch((error: { status?: number }) => {
        if (error.status !== 429 && error.status !== 404) throw error;
      });
  }

  async #engines(): Promise<Pod[]> {
    const pods = await this.#part.pods();
    return pods.filter(({ metadata }) => metadata.labels?.[label.componentType] !== undefined);
  }

  get #path(): string {
    return `/api/v1/namespaces/${this.#part.namespace}/pods`;
  }
}
