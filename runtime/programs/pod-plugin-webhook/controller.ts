import { ApiError } from "../../../kubernetes/api/api-error.ts";
import type { KubernetesClient } from "../../../kubernetes/api/client.ts";
import { mergePatchType } from "../../../kubernetes/api/patch-types.ts";
import { Collection } from "../../../kubernetes/cache/collection.ts";
import { WorkQueue, type WorkQueueOptions } from "../../../kubernetes/control/work-queue.ts";
import { unplanned } from "../../../kubernetes/kinds/unplanned.ts";
import { objectPath, statusPath } from "../../../kubernetes/paths.ts";
import type { KubernetesObject } from "../../../kubernetes/values/object.ts";
import { annotation, label, lwsPrefix } from "../../../sdk/names.ts";
import { timestampOf } from "../../../sdk/status/conditions.ts";
import { describe, type Log } from "../../manager/log.ts";
import { hookPodOf } from "./admission.ts";
import { appliedVerdict, type PluginFailure } from "./applied-condition.ts";
import type { PluginOwner } from "./plugin-owner.ts";
import { type HookRunner, pluginsFor, podIsReady } from "./pod-chain.ts";
import { type PodIdentity, podIdentity } from "./pod-identity.ts";
import { writePluginsCondition } from "./service-condition.ts";
import type { WebhookMetrics } from "./webhook-metrics.ts";
import type { WorkloadEvent, WorkloadEvents } from "./workload-events.ts";
import { type ReportedPlugins, Workloads } from "./workloads.ts";

export interface PodPluginControllerOptions extends HookRunner {
  readonly client: Pick<KubernetesClient, "request" | "watch">;
  /** Namespaces whose pods are watched; undefined for all. */
  readonly namespaces: readonly string[] | undefined;
  readonly events: WorkloadEvents;
  readonly metrics: Pick<WebhookMetrics, "failed" | "readyHooksRan">;
  readonly log: Log;
  readonly backOff?: WorkQueueOptions["backOff"];
}

/**
 * Delay before a new pod changes the condition of its service, in ms. The pods of a service are created together, so
 * one write covers all of them.
 */
const podsComeWithinMs = 1_000;

/** The fields of a watched pod. */
interface WatchedPod {
  readonly uid: string;
  /** `lastTransitionTime` of its Ready condition; undefined if the pod is not ready. */
  readonly readySince: string | undefined;
  /** Name of its LeaderWorkerSet. */
  readonly workload: string;
  /** Creation time, RFC 3339. */
  readonly madeAt: string;
}

type LivePod = KubernetesObject & {
  readonly spec: object;
  readonly status?: {
    readonly conditions?: ReadonlyArray<{
      type: string;
      status: string;
      lastTransitionTime?: string;
    }>;
  };
};

/**
 * Runs OnPodReady hooks once each time a pod becomes ready. Reports the plugins of a LeaderWorkerSet as events, and in
 * the status of a service whether plugins prevent pods.
 * A failed hook is retried. An annotation of the pod records that its hooks have run, so that another leader does not
 * repeat them. A hook runs twice only if the leader stops between the hook and the annotation.
 */
export class PodPluginController {
  readonly #options: PodPluginControllerOptions;
  readonly #pods: Collection<WatchedPod>;
  readonly #workloads: Workloads;
  readonly #ready: WorkQueue;
  readonly #announced: WorkQueue;
  readonly #failures: Collection<PluginFailure>;
  /** InferenceServices and ModelServings whose condition may change, as `kind/namespace/name`. */
  readonly #judged: WorkQueue;
  /** Ready transitions whose hooks have run, by pod. The watch may lag behind. */
  readonly #done = new Map<string, string>();
  #leading = false;

  constructor(options: PodPluginControllerOptions) {
    this.#options = options;
    const { client, namespaces, log } = options;
    const onProblem = (problem: string) => log.warn("not read", { problem });
    const shared = { client, namespaces, onStale: () => {}, onProblem };
    this.#pods = new Collection<WatchedPod>({
      ...shared,
      kind: unplanned.Pod,
      query: { labelSelector: label.podPlugins },
      read: watchedPod,
      onChange: (changes) => {
        for (const { key, type } of changes) {
          if (type === "deleted") this.#done.delete(key);
          else if (this.#leading) this.#ready.add(key);
        }
        for (const change of changes) {
          if (change.type === "added")
            this.#judge(change.key, change.object.workload, podsComeWithinMs);
        }
      },
    });
    this.#workloads = new Workloads({
      ...{ client, namespaces, onProblem },
      onChange: (changes) => {
        if (!this.#leading) return;
        for (const { key } of changes) {
          this.#announced.add(key);
          this.#judge(key, nameInKey(key));
        }
      },
    });
    this.#failures = new Collection<PluginFailure>({
      ...shared,
      kind: unplanned.Event,
      query: { fieldSelector: "reason=PluginFailed" },
      read: readFailure,
      onChange: (changes) => {
        for (const change of changes) {
          if (change.type !== "deleted") this.#judge(change.key, change.object.workload);
        }
      },
    });
    const { backOff } = options;
    this.#ready = new WorkQueue({
      work: (key) => this.#runReadyHooks(key),
      onError: (key, error) => log.warn("ready hooks failed", { key, error: describe(error) }),
      ...(backOff && { backOff }),
    });
    this.#announced = new WorkQueue({
      work: (key) => this.#announce(key),
      onError: (key, error) => log.warn("event not written", { key, error: describe(error) }),
      ...(backOff && { backOff }),
    });
    this.#judged = new WorkQueue({
      work: (key) => this.#writeCondition(key),
      onError: (key, error) => log.warn("condition not written", { key, error: describe(error) }),
      ...(backOff && { backOff }),
    });
  }

  start(): void {
    for (const collection of this.#collections) collection.start();
  }

  async lead(leading: boolean): Promise<void> {
    this.#leading = leading;
    if (!leading) {
      await Promise.all(this.#queues.map((queue) => queue.pause()));
      return;
    }
    for (const key of this.#pods.keys()) this.#ready.add(key);
    for (const key of this.#workloads.keys()) {
      this.#announced.add(key);
      this.#judge(key, nameInKey(key));
    }
    for (const queue of this.#queues) queue.start();
  }

  async stop(): Promise<void> {
    this.#leading = false;
    await Promise.all(this.#queues.map((queue) => queue.stop()));
    await Promise.all(this.#collections.map((collection) => collection.stop()));
  }

  get #collections() {
    return [this.#pods, this.#workloads, this.#failures];
  }

  get #queues(): WorkQueue[] {
    return [this.#ready, this.#announced, this.#judged];
  }

  /** Whether the LeaderWorkerSets were read once or cannot be read. */
  get settled(): boolean {
    return this.#workloads.settled;
  }

  /** Returns the plugins of a LeaderWorkerSet that run in the cluster. */
  pluginsOf(namespace: string, name: string): Promise<ReportedPlugins> {
    return this.#workloads.pluginsOf(namespace, name);
  }

  /** Writes an event about a LeaderWorkerSet, if it exists. */
  async report(namespace: string, name: string, event: WorkloadEvent): Promise<void> {
    const uid = await this.#workloads.uidOf(namespace, name);
    if (uid !== undefined) await this.#options.events.write({ namespace, name, uid }, event);
  }

  async #runReadyHooks(key: string): Promise<void> {
    const seen = this.#pods.get(key);
    if (seen?.readySince === undefined) {
      this.#done.delete(key);
      if (seen !== undefined) this.#judgeReadyHooks(key, seen);
      return;
    }
    if (this.#done.get(key) === transitionOf(seen)) return;
    const pod = await this.#livePod(key);
    const live = pod && watchedPod(pod);
    if (pod === undefined || live?.readySince === undefined) return;
    const { readySince } = live;
    if (pod.metadata.annotations?.[annotation.readyHooks] !== readySince) {
      await this.#runHooksOf(pod, readySince);
    }
    this.#done.set(key, transitionOf(live));
    this.#judgeReadyHooks(key, live);
  }

  async #runHooksOf(pod: LivePod, readySince: string): Promise<void> {
    const { namespace = "", name, uid } = pod.metadata;
    const identity = podIdentity(pod);
    if (identity === undefined) return;
    const { file, problem } = await this.pluginsOf(namespace, identity.leaderWorkerSet);
    if (file === undefined) {
      this.#options.log.warn("ready hooks not run", { pod: `${namespace}/${name}`, problem });
      return;
    }
    const plugins = pluginsFor(file, "OnPodReady", identity);
    if (plugins.length === 0) return;
    const { metrics } = this.#options;
    const subject = { name, uid: uid ?? "" };
    for (const plugin of plugins) {
      try {
        await podIsReady(this.#options, file, identity, hookPodOf(pod as never), plugin);
      } catch (error) {
        metrics.failed("retried");
        const message = `pod plugin ${plugin.name}, OnPodReady: ${describe(error)}`;
        await this.#write(namespace, identity, "PluginFailed", message, subject);
        throw error;
      }
    }
    metrics.readyHooksRan();
    await this.#options.client.request("PATCH", statusPath(unplanned.Pod, { namespace, name }), {
      body: { metadata: { uid, annotations: { [annotation.readyHooks]: readySince } } },
      contentType: mergePatchType,
    });
    const names = plugins.map((plugin) => plugin.name).join(",");
    const message = `pod ${name} is ready: OnPodReady of the plugins ${names} has run`;
    await this.#write(namespace, identity, "ReadyHooksRan", message, subject);
  }

  async #write(
    namespace: string,
    { leaderWorkerSet: name }: PodIdentity,
    reason: "PluginFailed" | "ReadyHooksRan",
    message: string,
    pod: { readonly name: string; readonly uid: string },
  ): Promise<void> {
    const identity = `${message} ${pod.uid}`;
    await this.report(namespace, name, { reason, action: "OnPodReady", message, identity, pod });
  }

  async #announce(key: string): Promise<void> {
    const workload = this.#workloads.get(key);
    const [namespace = "", name = ""] = key.split("/");
    for (const { pods, plugins, hash } of workload?.applied ?? []) {
      await this.#options.events.write(
        { namespace, name, uid: workload?.uid ?? "" },
        {
          reason: "PluginsApplied",
          action: "OnPodCreate",
          message: `${pods} pods are created by the plugins ${plugins} (${hash})`,
          identity: `${pods} ${hash}`,
        },
      );
    }
  }

  /** Enqueues the condition of a LeaderWorkerSet's owner. Only the namespace in `key` is used. */
  #judge(key: string, workload: string, delay = 0): void {
    const [namespace = ""] = key.split("/");
    const owner = this.#workloads.get(`${namespace}/${workload}`)?.owner;
    if (!this.#leading || owner === undefined) return;
    this.#judged.add(`${owner.kind}/${namespace}/${owner.name}`, delay);
  }

  /** Enqueues the condition of a pod's owner if a hook failed on the pod and has now run, or the pod is not ready. */
  #judgeReadyHooks(key: string, { uid, workload }: WatchedPod): void {
    const failed = [...this.#failures.keys()].some(
      (event) => this.#failures.get(event)?.readyPod === uid,
    );
    if (failed) this.#judge(key, workload, podsComeWithinMs);
  }

  async #writeCondition(key: string): Promise<void> {
    const [kind, namespace = "", name = ""] = key.split("/") as [
      PluginOwner["kind"],
      string,
      string,
    ];
    const within = (other: string) => other.startsWith(`${namespace}/`);
    const youngest = new Map<string, string>();
    const unannounced = new Map<string, Set<string>>();
    for (const each of this.#pods.keys()) {
      const pod = within(each) ? this.#pods.get(each) : undefined;
      if (pod !== undefined && pod.madeAt > (youngest.get(pod.workload) ?? "")) {
        youngest.set(pod.workload, pod.madeAt);
      }
      if (pod?.readySince !== undefined && this.#done.get(each) !== transitionOf(pod)) {
        const others = unannounced.get(pod.workload) ?? [];
        unannounced.set(pod.workload, new Set([...others, pod.uid]));
      }
    }
    const workloads = [...this.#workloads.keys()].filter(within).flatMap((each) => {
      const workload = this.#workloads.get(each);
      if (workload?.owner?.kind !== kind || workload.owner.name !== name) return [];
      const own = nameInKey(each);
      return [
        {
          name: own,
          hasPlugins: workload.applied.length > 0 || workload.runTime.file !== undefined,
          youngestPod: youngest.get(own),
          unannounced: unannounced.get(own) ?? new Set<string>(),
        },
      ];
    });
    const failures = [...this.#failures.keys()]
      .filter(within)
      .flatMap((each) => this.#failures.get(each) ?? []);
    const verdict = appliedVerdict(workloads, failures);
    const { client } = this.#options;
    await writePluginsCondition(
      client,
      { kind, namespace, name },
      verdict,
      timestampOf(Date.now()),
    );
  }

  async #livePod(key: string): Promise<LivePod | undefined> {
    const [namespace = "", name = ""] = key.split("/");
    try {
      return await this.#options.client.request<LivePod>(
        "GET",
        objectPath(unplanned.Pod, { namespace, name }),
      );
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    }
  }
}

/** Includes the uid, so that hooks also run for a new pod with the same name. */
const transitionOf = ({ uid, readySince }: WatchedPod) => `${uid} ${readySince}`;

function watchedPod(object: KubernetesObject): WatchedPod | undefined {
  const { metadata, status } = object as LivePod;
  if (metadata.deletionTimestamp !== undefined) return undefined;
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return {
    workload: metadata.labels?.[`${lwsPrefix}name`] ?? "",
    madeAt: metadata.creationTimestamp ?? "",
    uid: metadata.uid ?? "",
    readySince: ready?.status === "True" ? (ready.lastTransitionTime ?? "") : undefined,
  };
}

interface FailureEvent extends KubernetesObject {
  readonly action?: string;
  readonly message?: string;
  readonly lastTimestamp?: string;
  readonly involvedObject?: { readonly name?: string };
  readonly related?: { readonly uid?: string };
}

/** Reads an event of reason PluginFailed. */
function readFailure(object: KubernetesObject): PluginFailure | undefined {
  const {
    action,
    message = "",
    lastTimestamp = "",
    involvedObject,
    related,
  } = object as FailureEvent;
  const readyPod = action === "OnPodReady" ? (related?.uid ?? "") : undefined;
  return { workload: involvedObject?.name ?? "", readyPod, message, at: lastTimestamp };
}

const nameInKey = (key: string) => key.split("/")[1] ?? "";
