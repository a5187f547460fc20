import { ApiError } from "../../../kubernetes/api/api-error.ts";
import type { KubernetesClient } from "../../../kubernetes/api/client.ts";
import { mergePatchType } from "../../../kubernetes/api/patch-types.ts";
import { kinds } from "../../../kubernetes/kinds/index.ts";
import { unplanned } from "../../../kubernetes/kinds/unplanned.ts";
import { collectionPath } from "../../../kubernetes/paths.ts";
import { digest } from "../../../kubernetes/values/canonical-json.ts";
import { podPluginWebhookName } from "../../../sdk/names.ts";
import type { PodHook } from "../../../sdk/spec/pod-plugin.ts";

/** The LeaderWorkerSet that an event is about. */
export interface EventSubject {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Reasons of events, and whether repetitions are counted. */
export const eventReasons = {
  /** These plugins changed the templates of the workload. */
  PluginsApplied: { type: "Normal", counted: false },
  /** With action OnPodCreate: the pod was not created. With action OnPodReady: the hook is retried. */
  PluginFailed: { type: "Warning", counted: true },
  /** A plugin with failurePolicy Ignore failed, and the pod was created without it. */
  PluginIgnored: { type: "Warning", counted: true },
  /** The OnPodReady hooks of a pod have run. */
  ReadyHooksRan: { type: "Normal", counted: true },
} as const satisfies Record<string, { readonly type: "Normal" | "Warning"; counted: boolean }>;

export interface WorkloadEvent {
  readonly reason: keyof typeof eventReasons;
  /** The hook that failed or ran, such as `OnPodCreate`. */
  readonly action: PodHook;
  readonly message: string;
  /** Identity of the event: a second event with the same identity is counted, not written again. */
  readonly identity: string;
  /** The pod that the event is about. */
  readonly pod?: { readonly name: string; readonly uid: string };
}

interface StoredEvent {
  readonly count?: number;
}

/** Longest message that the API server accepts, in characters. */
const longestMessage = 1_024;

/** Writes events about LeaderWorkerSets, each once: the name of an event is a hash of its identity. */
export class WorkloadEvents {
  readonly #client: Pick<KubernetesClient, "request">;
  readonly #now: () => number;

  constructor(client: Pick<KubernetesClient, "request">, now: () => number = Date.now) {
    this.#client = client;
    this.#now = now;
  }

  async write(subject: EventSubject, event: WorkloadEvent): Promise<void> {
    const { namespace, name, uid } = subject;
    const { type, counted } = eventReasons[event.reason];
    const own = digest(`${uid} ${event.reason} ${event.identity}`).slice(0, 16);
    const path = collectionPath(unplanned.Event, namespace);
    const time = `${new Date(this.#now()).toISOString().slice(0, 19)}Z`;
    const body = {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: `${name}.${own}`, namespace },
      involvedObject: {
        apiVersion: kinds.LeaderWorkerSet.apiVersion,
        kind: "LeaderWorkerSet",
        namespace,
        name,
        uid,
      },
      reason: event.reason,
      type,
      action: event.action,
      message: event.message.slice(0, longestMessage),
      ...(event.pod && { related: { apiVersion: "v1", kind: "Pod", namespace, ...event.pod } }),
      source: { component: podPluginWebhookName },
      reportingComponent: podPluginWebhookName,
      reportingInstance: "",
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
    };
    try {
      await this.#client.request("POST", path, { body });
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409) throw error;
      if (counted) await this.#countAgain(`${path}/${body.metadata.name}`, time);
    }
  }

  async #countAgain(path: string, lastTimestamp: string): Promise<void> {
    const { count = 1 } = await this.#client.request<StoredEvent>("GET", path);
    await this.#client.request("PATCH", path, {
      body: { count: count + 1, lastTimestamp },
      contentType: mergePatchType,
    });
  }
}
