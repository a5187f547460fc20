import { kinds } from "../../../kubernetes/kinds/index.ts";
import {
  type RewriteVersion,
  rewriteKind,
} from "../../../kubernetes/kinds/inference-model-rewrite.ts";
import type { KindAddress } from "../../../kubernetes/kinds/kind.ts";
import { httpRouteName, inferencePoolName, label, podGroupName } from "../../../sdk/names.ts";
import { portRefusal } from "../../../sdk/routing/picker-ports.ts";
import { type InferenceService, routerOf } from "../../../sdk/spec/inference-service.ts";
import { type Moment, timestampOf } from "../../../sdk/status/conditions.ts";
import { statusOf, unreadableStatus } from "../../../sdk/status/inference-service-status.ts";
import {
  canOverlap,
  type LLMServerPoolView,
  llmServerPoolStatus,
  type SharedPod,
  selects,
} from "../../../sdk/status/llm-server-pool-status.ts";
import { llmServiceStatus } from "../../../sdk/status/llm-service-status.ts";
import { modelRewriteStatus } from "../../../sdk/status/model-rewrite-status.ts";
import type { ObservedPod } from "../../../sdk/status/observed.ts";
import type { PickerReading } from "../../../sdk/status/picker-report.ts";
import { type FailingPods, recycle } from "../../../sdk/status/recycling.ts";
import { routerPickerOf } from "../../../sdk/topology/router-picker.ts";
import type { Cluster } from "./cluster.ts";
import { keyOf, type Work } from "./object-key.ts";
import { podsOfPool } from "./pool-pods.ts";
import type { StatusObject } from "./status-object.ts";

/** The status that an object should have. */
export interface WantedStatus {
  readonly kind: KindAddress;
  readonly object: StatusObject<object, unknown>;
  readonly status: object;
  /** Time at which the status changes even if no object does, RFC 3339. */
  readonly requeueAt: string | undefined;
  /** The pod to delete after the status is written. */
  readonly recycle?: ObservedPod | undefined;
}

export interface StatusesOptions {
  readonly cluster: Cluster;
  /** Returns the pickers' reading of a service on a pool. */
  readonly readingOf: (pool: string, service: string) => PickerReading | undefined;
  /** Undefined if recycling is off. Returns the failing pods of a pool, or undefined if no picker responded. */
  readonly failingOf: ((pool: string) => FailingPods | undefined) | undefined;
  /** Returns the object with the last written status. */
  readonly current: <Status, Reading>(
    key: string,
    object: StatusObject<Status, Reading>,
  ) => StatusObject<Status, Reading>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Computes the statuses that the objects of a cluster should have. */
export class Statuses {
  readonly #options: StatusesOptions;

  constructor(options: StatusesOptions) {
    this.#options = options;
  }

  /**
   * @param object `namespace/name`
   * @returns undefined if the object does not exist, or is written under another API version
   */
  of(work: Exclude<Work, "pool">, object: string): WantedStatus | undefined {
    switch (work) {
      case "InferenceService":
        return this.#inferenceService(object);
      case "LLMService":
        return this.#llmService(object);
      case "LLMServerPool":
        return this.#llmServerPool(object);
      default:
        return this.#rewrite(work, object);
    }
  }

  #momentOf({ generation }: StatusObject<unknown, unknown>): Moment {
    return { now: timestampOf(this.#options.now()), generation };
  }

  #current<Status, Reading>(
    work: Work,
    object: string,
    cached: StatusObject<Status, Reading> | undefined,
  ): StatusObject<Status, Reading> | undefined {
    return cached && this.#options.current(keyOf(work, object), cached);
  }

  #inferenceService(key: string): WantedStatus | undefined {
    const { cluster } = this.#options;
    const object = this.#current("InferenceService", key, cluster.inferenceServices.get(key));
    if (object === undefined) return undefined;
    const moment = this.#momentOf(object);
    const { service, problem } = object.reading;
    if (service === undefined) {
      const status = unreadableStatus(problem, object.status, moment);
      return { kind: kinds.InferenceService, object, status, requeueAt: undefined };
    }
    const objects = this.#objectsOf(service);
    const { status, requeueAt } = statusOf(service, objects, object.status, moment);
    const recycling = recycle({
      podsPerHour: service.spec.resilience?.recycle?.podsPerHour ?? 0,
      pods: objects.pods,
      failing:
        objects.stale === undefined
          ? this.#options.failingOf?.(`${object.namespace}/${inferencePoolName(object.name)}`)
          : undefined,
      before: object.status?.recycledPods ?? [],
      now: moment.now,
    });
    const { recycledPods, pod } = recycling;
    return {
      ...{ kind: kinds.InferenceService, object },
      status: recycledPods.length === 0 ? status : { ...status, recycledPods },
      requeueAt: [requeueAt, recycling.requeueAt].filter((at) => at !== undefined).sort()[0],
      recycle: this.#options.failingOf && pod,
    };
  }

  #objectsOf({ metadata: { namespace, name: service }, spec }: InferenceService) {
    const { cluster } = this.#options;
    const { pods, workloads, deployments, podGroups, pools, routes } = cluster;
    const labels = { [label.service]: service };
    const at = (name: string) => `${namespace}/${name}`;
    const own = cluster.workloadsWith(namespace, labels);
    const router = routerOf(spec);
    const picker = router && routerPickerOf(service, router).name;
    // Pods of a shared picker have no service label.
    const app = router?.shared === undefined ? undefined : picker;
    return {
      pods: [
        ...cluster.podsWith(namespace, labels),
        ...(app === undefined ? [] : cluster.podsWith(namespace, { [label.app]: app })),
      ],
      workloads: own,
      events: [...own.map(({ name }) => name), podGroupName(service)].flatMap((name) => [
        ...cluster.events.about(namespace, name),
      ]),
      podGroup: podGroups.get(at(podGroupName(service))),
      picker: picker === undefined ? undefined : deployments.get(at(picker)),
      pool: pools.get(at(inferencePoolName(service))),
      route: routes.get(at(httpRouteName(service))),
      refusal:
        router?.shared === undefined ? undefined : this.#refusalOf(at(inferencePoolName(service))),
      recyclesPods: this.#options.failingOf !== undefined,
      stale: firstStale(pods, workloads, deployments, podGroups, pools, routes),
    };
  }

  /** Returns the reason that the shared picker does not serve a pool. */
  #refusalOf(key: string): string | undefined {
    const { cluster } = this.#options;
    const pool = cluster.pools.get(key);
    return pool && portRefusal(pool, cluster.poolsIn(pool.namespace));
  }

  #llmService(key: string): WantedStatus | undefined {
    const { cluster, readingOf } = this.#options;
    const object = this.#current("LLMService", key, cluster.llmServices.get(key));
    if (object === undefined) return undefined;
    const { service, problems } = object.reading;
    const pools = (service?.pools ?? []).map(({ namespace, name }) => {
      const { pool, lost } = cluster.routings.of(`${namespace}/${name}`);
      return {
        namespace,
        name,
        exists: pool !== undefined,
        admits:
          pool !== undefined &&
          [pool.namespace, ...pool.allowedNamespaces].includes(object.namespace),
        lost: lost.get(key) ?? [],
        pods: pool && cluster.pods.stale === undefined ? podsOfPool(cluster, pool) : undefined,
        reading: readingOf(`${namespace}/${name}`, key),
      };
    });
    const view = {
      service: key,
      models: service?.models.map(({ name }) => name) ?? [],
      hasObjectives:
        service?.models.some(({ objectiveSeconds }) => objectiveSeconds !== undefined) ?? false,
      pools,
      problems,
      stale: firstStale(cluster.llmServices, cluster.pools),
    };
    const status = llmServiceStatus(view, object.status, this.#momentOf(object));
    return { kind: kinds.LLMService, object, status, requeueAt: undefined };
  }

  #llmServerPool(key: string): WantedStatus | undefined {
    const { cluster } = this.#options;
    const object = this.#current("LLMServerPool", key, cluster.llmServerPools.get(key));
    if (object === undefined) return undefined;
    const { namespace, name, reading } = object;
    const pods = podsOfPool(cluster, { namespace, selector: reading.selector ?? {} });
    const view: LLMServerPoolView = {
      ...reading,
      name,
      poolSelector: cluster.pools.get(key)?.selector,
      refusal: reading.sharesPicker ? this.#refusalOf(key) : undefined,
      pods,
      shared: this.#sharedPods(namespace, name, reading.selector ?? {}, pods),
      stale: firstStale(cluster.pods, cluster.pools),
    };
    const status = llmServerPoolStatus(view, object.status, this.#momentOf(object));
    return { kind: kinds.LLMServerPool, object, status, requeueAt: undefined };
  }

  /** Returns one shared pod for each other pool that selects any of the pods. */
  #sharedPods(
    namespace: string,
    own: string,
    selector: Readonly<Record<string, string>>,
    pods: ReadonlyArray<{
      readonly name: string;
      readonly labels: Readonly<Record<string, string>>;
    }>,
  ): SharedPod[] {
    const shared: SharedPod[] = [];
    for (const other of this.#options.cluster.poolsIn(namespace)) {
      if (other.name === own || !canOverlap(selector, other.selector)) continue;
      const [pod] = pods
        .filter(({ labels }) => selects(other.selector, labels))
        .map(({ name }) => name)
        .sort();
      if (pod !== undefined) shared.push({ pool: other.name, pod });
    }
    return shared.sort((a, b) => (a.pool < b.pool ? -1 : 1));
  }

  #rewrite(version: RewriteVersion, key: string): WantedStatus | undefined {
    const { cluster } = this.#options;
    const object = this.#current(version, key, cluster.rewrites.get(version)?.get(key));
    if (object === undefined) return undefined;
    const first = this.#firstRewrite(key);
    // An object that is served under two API versions is written only once.
    if (first !== undefined && first.version !== version && first.object.uid === object.uid)
      return undefined;
    const { rewrite, problem } = object.reading;
    const routing = cluster.routings.of(
      rewrite === undefined ? "" : `${rewrite.namespace}/${rewrite.poolRef.name}`,
    );
    const view = {
      rewrite,
      problem,
      poolGroup: kinds.InferencePool.group,
      poolExists: routing.pool !== undefined,
      table: routing.table,
      shadowedBy:
        first === undefined || first.version === version
          ? undefined
          : rewriteKind(first.version).group,
      stale: firstStale(cluster.pools, ...cluster.rewrites.values()),
    };
    const status = modelRewriteStatus(view, object.status, this.#momentOf(object));
    return { kind: rewriteKind(version), object, status, requeueAt: undefined };
  }

  /** Returns the rewrite that pickers read if several have the same name. */
  #firstRewrite(key: string) {
    for (const [version, collection] of this.#options.cluster.rewrites) {
      const object = collection.get(key);
      if (object !== undefined) return { version, object };
    }
    return undefined;
  }
}

function firstStale(...collections: ReadonlyArray<{ readonly stale: string | undefined }>) {
  return collections.map(({ stale }) => stale).find((why) => why !== undefined);
}
