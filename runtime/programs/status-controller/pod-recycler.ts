import { ApiError } from "../../../kubernetes/api/api-error.ts";
import type { KubernetesClient } from "../../../kubernetes/api/client.ts";
import { unplanned } from "../../../kubernetes/kinds/unplanned.ts";
import { collectionPath, objectPath } from "../../../kubernetes/paths.ts";
import { statusControllerName } from "../../../sdk/names.ts";
import { timestampOf } from "../../../sdk/status/conditions.ts";
import type { ObservedPod } from "../../../sdk/status/observed.ts";
import type { Log } from "../../manager/log.ts";

/** `gone`: the pod does not exist any more; a new pod may have its name. */
export type RecycleResult = "deleted" | "gone" | "failed";

export interface PodRecyclerOptions {
  readonly client: Pick<KubernetesClient, "request">;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onEnd: (namespace: string, service: string, result: RecycleResult) => void;
}

/** Maximum number of uids that are remembered. The watch has long reported the deletion of older ones. */
const rememberedPods = 1_000;

/** Deletes pods that the status of their service lists, and writes an event for each. */
export class PodRecycler {
  readonly #options: PodRecyclerOptions;
  /** Uids of deleted pods, whose deletion the watch may not have reported yet. */
  readonly #deleted = new Set<string>();

  constructor(options: PodRecyclerOptions) {
    this.#options = options;
  }

  /** @throws Error if the API server refuses; the service is then requeued */
  async recycle(service: { readonly name: string }, pod: ObservedPod): Promise<void> {
    const { log, onEnd } = this.#options;
    const { namespace, name, uid } = pod;
    if (this.#deleted.has(uid)) return;
    try {
      const result = await this.#delete(pod);
      this.#remember(uid);
      onEnd(namespace, service.name, result);
      if (result === "gone") return;
    } catch (error) {
      onEnd(namespace, service.name, "failed");
      throw error;
    }
    log.info("pod recycled", { service: `${namespace}/${service.name}`, pod: name });
    await this.#report(service.name, pod);
  }

  async #delete({ namespace, name, uid }: ObservedPod): Promise<RecycleResult> {
    try {
      await this.#options.client.request("DELETE", objectPath(unplanned.Pod, { namespace, name }), {
        body: { apiVersion: "v1", kind: "DeleteOptions", preconditions: { uid } },
      });
      return "deleted";
    } catch (error) {
      if (error instanceof ApiError && (error.status === 404 || error.status === 409))
        return "gone";
      throw error;
    }
  }

  #remember(uid: string): void {
    if (this.#deleted.size >= rememberedPods) this.#deleted.clear();
    this.#deleted.add(uid);
  }

  async #report(service: string, { namespace, name, uid }: ObservedPod): Promise<void> {
    const time = timestampOf(this.#options.now());
    await this.#options.client.request("POST", collectionPath(unplanned.Event, namespace), {
      body: {
        ...{ apiVersion: "v1", kind: "Event" },
        metadata: { name: `${name}.${uid}`, namespace },
        involvedObject: { apiVersion: "v1", kind: "Pod", namespace, name, uid },
        ...{ reason: "Recycled", type: "Warning", action: "Recycle" },
        message: `Prefills of this pod failed with every other working pod; InferenceService ${service} allows its deletion (resilience.recycle).`,
        source: { component: statusControllerName },
        ...{ reportingComponent: statusControllerName, reportingInstance: "" },
        ...{ firstTimestamp: time, lastTimestamp: time, count: 1 },
      },
    });
  }
}
