import { isDeepStrictEqual } from "node:util";
import type { KubernetesClient, Query } from "../../../kubernetes/api/client.ts";
import { Collection } from "../../../kubernetes/cache/collection.ts";
import { GroupIndex } from "../../../kubernetes/cache/group-index.ts";
import { LabelIndex } from "../../../kubernetes/cache/label-index.ts";
import type { Change } from "../../../kubernetes/cache/object-cache.ts";
import type { ReflectorOptions } from "../../../kubernetes/cache/reflector.ts";
import { kinds } from "../../../kubernetes/kinds/index.ts";
import {
  type RewriteVersion,
  rewriteKind,
  rewriteVersions,
} from "../../../kubernetes/kinds/inference-model-rewrite.ts";
import { type KindAddress, resourceName } from "../../../kubernetes/kinds/kind.ts";
import { unplanned } from "../../../kubernetes/kinds/unplanned.ts";
import type { KubernetesObject } from "../../../kubernetes/values/object.ts";
import { inferencePoolName, label } from "../../../sdk/names.ts";
import { wantOnePort } from "../../../sdk/routing/picker-ports.ts";
import type { LLMServiceReading } from "../../../sdk/routing/read-llm-service.ts";
import type { ModelRewriteObject } from "../../../sdk/routing/rewrite-table.ts";
import { canOverlap, selects } from "../../../sdk/status/llm-server-pool-status.ts";
import {
  type ObservedEvent,
  type ObservedObject,
  type ObservedPod,
  type ObservedWorkload,
  observeEvent,
  observeParents,
  observePod,
  observePodGroup,
  observeReplicaSet,
  observeWorkload,
} from "../../../sdk/status/observed.ts";
import { ownPods } from "../../../sdk/status/own-pods.ts";
import {
  readInferenceService,
  type ServiceReading,
} from "../../../sdk/status/read-inference-service.ts";
import type {
  InferenceServiceStatus,
  LLMServerPoolStatus,
  LLMServiceStatus,
  ModelRewriteStatus,
} from "../../../sdk/status/schemas.ts";
import { previousOf, versionsOf } from "./change-versions.ts";
import { EventIndex, eventsAboutPods, workloadsOf } from "./event-index.ts";
import { isRewrite, keyOf, type Work } from "./object-key.ts";
import { servicesOfLastPod } from "./pool-pods.ts";
import { PoolRoutings } from "./pool-routings.ts";
import {
  type PoolObject,
  type RewriteReading,
  readPool,
  readRewrite,
  readServerPool,
  readService,
  type ServerPoolReading,
} from "./read-objects.ts";
import { SharedPickers } from "./shared-pickers.ts";
import { type StatusObject, statusObjects } from "./status-object.ts";

export interface ClusterOptions {
  readonly client: Pick<KubernetesClient, "request" | "watch">;
  /** Undefined for all namespaces. */
  readonly namespaces: readonly string[] | undefined;
  /** Receives the key of every object whose status may have changed; `delay` in ms. */
  readonly onKey: (key: string, delay?: number) => void;
  /** Called when a kind becomes stale or recovers; every status may have changed. */
  readonly onStale: () => void;
  readonly onProblem: (kind: string, message: string) => void;
  readonly timing?: Pick<ReflectorOptions<unknown>, "backOff" | "probeIntervalMs" | "time">;
  readonly staleAfterMs?: number;
}

/**
 * Time for which changes that affect a pool are collected before its routing is recomputed, in ms. A recomputation
 * takes 10 ms with 10,000 services.
 */
const routingDelayMs = 200;

/** Time for which pod changes of a service are collected, in ms: its pods start together. */
const podDelayMs = 50;
/** Time for which pod changes of a pool are collected, in ms: each pass counts all its pods, often hundreds. */
const poolPodDelayMs = 500;

type ServiceObject = StatusObject<InferenceServiceStatus, ServiceReading>;
type LLMServiceObject = StatusObject<LLMServiceStatus, LLMServiceReading>;
type ServerPoolObject = StatusObject<LLMServerPoolStatus, ServerPoolReading>;
type RewriteObject = StatusObject<ModelRewriteStatus, RewriteReading>;

/** Parses an object; undefined if it does not count. `forget` drops the remembered data of a deleted object. */
interface Reader<T> {
  (object: KubernetesObject): T | undefined;
  forget?(key: string): void;
}

/** Receives each object before its dependents are enqueued. */
interface Index<T> {
  put(object: T, previous?: T): void;
  delete(object: T): void;
}

/** The status controller's copy of a cluster. It maps each change to the objects whose status may change. */
export class Cluster {
  readonly #options: ClusterOptions;
  readonly #collections: Array<Pick<Collection<unknown>, "start" | "stop" | "settled">> = [];
  readonly #podIndex = new LabelIndex<ObservedPod>();
  readonly #workloadIndex = new LabelIndex<ObservedWorkload>();
  /** LLMServerPools by namespace. */
  readonly #serverPoolIndex = new GroupIndex<ServerPoolObject>(({ namespace }) => [namespace]);
  /** InferencePools by namespace. */
  readonly #poolIndex = new GroupIndex<PoolObject>(({ namespace }) => [namespace]);
  /** Rewrites that pickers read: the first rewrite of each name. */
  readonly #rewritesRead = new Map<string, ModelRewriteObject>();
  readonly routings = new PoolRoutings();
  readonly events = new EventIndex();
  /** InferenceServices that allow the deletion of their pods, by the key of their pool. */
  readonly recyclingServices = new Map<string, string>();
  readonly #sharedPickers = new SharedPickers();

  readonly inferenceServices;
  readonly llmServices;
  readonly llmServerPools;
  readonly rewrites: ReadonlyMap<RewriteVersion, Collection<RewriteObject>>;
  readonly pools;
  readonly pods;
  readonly workloads;
  readonly deployments;
  readonly #replicaSets;
  readonly podGroups;
  readonly routes;

  constructor(options: ClusterOptions) {
    this.#options = options;

    const rewrite = (version: RewriteVersion) =>
      this.#collect<RewriteObject>(rewriteKind(version), statusObjects(readRewrite), (change) =>
        this.#rewriteChanged(version, change),
      );
    const { InferenceService, LLMService, LLMServerPool, InferencePool } = kinds;
    const owner = (change: Change<ObservedObject>) => this.#ownerOf(change);
    const services = statusObjects<InferenceServiceStatus, ServiceReading>(readInferenceService);
    const llmServices = statusObjects<LLMServiceStatus, LLMServiceReading>(readService);
    const serverPools = statusObjects<LLMServerPoolStatus, ServerPoolReading>(readServerPool);
    this.inferenceServices = this.#collect(InferenceService, services, this.#serviceChanged, {
      index: this.#sharedPickers,
    });
    this.llmServices = this.#collect(LLMService, llmServices, this.#llmServiceChanged);
    this.llmServerPools = this.#collect(LLMServerPool, serverPools, this.#serverPoolChanged, {
      index: this.#serverPoolIndex,
    });
    this.rewrites = new Map(rewriteVersions.map((version) => [version, rewrite(version)]));
    this.pools = this.#collect(InferencePool, readPool, this.#poolChanged, {
      index: this.#poolIndex,
    });
    this.pods = this.#collect(unplanned.Pod, observePod, this.#podChanged, {
      index: this.#podIndex,
    });
    this.workloads = this.#collect(kinds.LeaderWorkerSet, observeWorkload, owner, {
      index: this.#workloadIndex,
    });
    this.deployments = this.#collect(kinds.Deployment, observeWorkload, this.#deploymentChanged);
    this.#replicaSets = this.#collect(unplanned.ReplicaSet, observeReplicaSet, () => {});
    this.podGroups = this.#collect(kinds.PodGroup, observePodGroup, owner);
    this.routes = this.#collect(kinds.HTTPRoute, observeParents, owner);
    for (const fieldSelector of eventsAboutPods)
      this.#collect(unplanned.Event, observeEvent, this.#eventChanged, {
        index: this.events,
        query: { fieldSelector },
      });
  }

  start(): void {
    for (const collection of this.#collections) collection.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#collections.map((collection) => collection.stop()));
  }

  /** Whether every kind was read once or cannot be read, so that statuses can be computed. */
  get settled(): boolean {
    return this.#collections.every(({ settled }) => settled);
  }

  /** Keys of all objects whose status is written. */
  *keys(): Iterable<string> {
    for (const key of this.inferenceServices.keys()) yield keyOf("InferenceService", key);
    for (const key of this.llmServices.keys()) yield keyOf("LLMService", key);
    for (const key of this.llmServerPools.keys()) yield keyOf("LLMServerPool", key);
    for (const [version, rewrites] of this.rewrites)
      for (const key of rewrites.keys()) yield keyOf(version, key);
  }

  /** Whether an object changed since the routing of its pools was last computed. */
  awaitsRouting(work: Work, key: string): boolean {
    if (work === "LLMService") {
      const service = this.llmServices.get(key)?.reading.service;
      return service !== undefined && this.routings.awaits(service, key);
    }
    const rewrite = this.#rewritesRead.get(key);
    return isRewrite(work) && rewrite !== undefined && this.routings.awaitsRewrite(rewrite, key);
  }

  podsWith(namespace: string, labels: Readonly<Record<string, string>>): ObservedPod[] {
    return this.#podIndex.select(namespace, labels);
  }

  /** Returns the pods of a picker that its Deployment created. */
  pickerPods(namespace: string, picker: string): ObservedPod[] {
    return ownPods(
      this.podsWith(namespace, { [label.app]: picker }),
      this.deployments.get(`${namespace}/${picker}`),
      (name) => this.#replicaSets.get(`${namespace}/${name}`),
    );
  }

  workloadsWith(namespace: string, labels: Readonly<Record<string, string>>): ObservedWorkload[] {
    return this.#workloadIndex.select(namespace, labels);
  }

  poolsIn(namespace: string): Iterable<PoolObject> {
    return this.#poolIndex.of(namespace).values();
  }

  #collect<T>(
    kind: KindAddress,
    read: Reader<T>,
    dependents: (change: Change<T>) => void,
    { index, query }: { readonly index?: Index<T>; readonly query?: Query } = {},
  ): Collection<T> {
    const { client, namespaces, onStale, onProblem, timing, staleAfterMs } = this.#options;
    const collection = new Collection<T>({
      ...{ client, kind, namespaces, read, onStale },
      ...(query && { query }),
      ...(timing && { timing }),
      ...(staleAfterMs !== undefined && { staleAfterMs }),
      onChange: (changes) => {
        for (const change of changes) {
          if (change.type === "deleted") {
            read.forget?.(change.key);
            index?.delete(change.previous);
          } else index?.put(change.object, previousOf(change));
          dependents(change);
        }
      },
      onProblem: (message) => onProblem(resourceName(kind), message),
    });
    this.#collections.push(collection);
    return collection;
  }

  /** Enqueues the service of a planned object, which is labelled with the name of its service. */
  #ownerOf<T extends ObservedObject>(change: Change<T>, delay = 0): void {
    for (const object of versionsOf(change)) {
      const service = object.labels[label.service];
      if (service !== undefined) this.#inferenceService(object.namespace, service, delay);
    }
  }

  /** Enqueues the services that share the picker with that name. */
  #sharing(namespace: string, picker: string, delay = 0): void {
    for (const service of this.#sharedPickers.servicesOf(namespace, picker))
      this.#inferenceService(namespace, service, delay);
  }

  readonly #deploymentChanged = (change: Change<ObservedWorkload>): void => {
    this.#ownerOf(change);
    for (const { namespace, name } of versionsOf(change)) this.#sharing(namespace, name);
  };

  #inferenceService(namespace: string, name: string, delay = 0): void {
    this.#options.onKey(keyOf("InferenceService", `${namespace}/${name}`), delay);
  }

  readonly #podChanged = (change: Change<ObservedPod>): void => {
    // Kubelets often change fields of pods that do not matter here.
    if (change.type === "modified" && isDeepStrictEqual(change.object, change.previous)) return;
    this.#ownerOf(change, podDelayMs);
    for (const pod of versionsOf(change)) {
      const { namespace, labels } = pod;
      this.#sharing(namespace, labels[label.app] ?? "", podDelayMs);
      this.#serverPools(namespace, (selector) => selects(selector, labels), poolPodDelayMs);
      for (const service of servicesOfLastPod(this, pod))
        this.#options.onKey(keyOf("LLMService", service), poolPodDelayMs);
    }
  };

  #serverPools(
    namespace: string,
    concerns: (selector: Readonly<Record<string, string>>) => boolean,
    delay = 0,
  ): void {
    for (const [name, { reading }] of this.#serverPoolIndex.of(namespace)) {
      if (reading.selector !== undefined && concerns(reading.selector))
        this.#options.onKey(keyOf("LLMServerPool", `${namespace}/${name}`), delay);
    }
  }

  readonly #poolChanged = (change: Change<PoolObject>): void => {
    const [{ namespace }] = versionsOf(change);
    this.#ownerOf(change);
    if (change.type === "modified" && areEqualReports(change.object, change.previous)) return;
    for (const { selector } of versionsOf(change))
      this.#serverPools(namespace, (other) => canOverlap(selector, other));
    for (const version of versionsOf(change)) this.#ofOnePort(version);
    this.#options.onKey(keyOf("LLMServerPool", change.key));
    this.#routing([change.key]);
  };

  /**
   * Enqueues all pools that request the same port of a shared picker: a change of one pool may change which pool gets
   * the port.
   */
  #ofOnePort(pool: PoolObject): void {
    for (const other of this.poolsIn(pool.namespace)) {
      if (!wantOnePort(other, pool)) continue;
      const { namespace, name, labels } = other;
      const service = labels[label.service];
      if (service !== undefined) this.#inferenceService(namespace, service);
      this.#options.onKey(keyOf("LLMServerPool", `${namespace}/${name}`));
    }
  }

  readonly #serviceChanged = (change: Change<ServiceObject>): void => {
    if (change.type !== "deleted") this.#options.onKey(keyOf("InferenceService", change.key));
    const [{ namespace, name, reading }] = versionsOf(change);
    const pool = `${namespace}/${inferencePoolName(name)}`;
    const allows = reading.service?.spec.resilience?.recycle !== undefined;
    if (allows && change.type !== "deleted") this.recyclingServices.set(pool, change.key);
    else this.recyclingServices.delete(pool);
  };

  readonly #serverPoolChanged = ({ type, key }: Change<ServerPoolObject>): void => {
    if (type !== "deleted") this.#options.onKey(keyOf("LLMServerPool", key));
  };

  readonly #llmServiceChanged = (change: Change<LLMServiceObject>): void => {
    const { key } = change;
    const before = change.type === "added" ? undefined : change.previous.reading;
    const after = change.type === "deleted" ? undefined : change.object.reading;
    const pools =
      before === after ? [] : this.routings.putService(key, after?.service, before?.service);
    this.#routing(pools);
    // A service on a pool is enqueued after the pool's routing is computed.
    if (pools.length === 0 && after !== undefined) this.#options.onKey(keyOf("LLMService", key));
  };

  #rewriteChanged(version: RewriteVersion, change: Change<RewriteObject>): void {
    const { key } = change;
    const chosen = this.#chosenRewrite(key);
    const before = this.#rewritesRead.get(key);
    if (chosen === undefined) this.#rewritesRead.delete(key);
    else this.#rewritesRead.set(key, chosen);
    const pools = chosen === before ? [] : this.routings.putRewrite(key, chosen, before);
    this.#routing(pools);
    if (pools.length === 0 && change.type !== "deleted") this.#options.onKey(keyOf(version, key));
  }

  /** Returns the rewrite that pickers read if several have the same name. */
  #chosenRewrite(key: string): ModelRewriteObject | undefined {
    for (const collection of this.rewrites.values()) {
      const object = collection.get(key);
      if (object !== undefined) return object.reading.rewrite;
    }
    return undefined;
  }

  #routing(pools: readonly string[]): void {
    for (const pool of pools) this.#options.onKey(keyOf("pool", pool), routingDelayMs);
  }

  readonly #eventChanged = (change: Change<ObservedEvent>): void => {
    for (const event of versionsOf(change))
      for (const key of workloadsOf(event)) {
        const workload = this.workloads.get(key) ?? this.podGroups.get(key);
        const service = workload?.labels[label.service];
        if (service !== undefined) this.#inferenceService(event.namespace, service);
      }
  };
}

/** Whether two versions of a pool are equal except for the conditions that gateways report. */
const areEqualReports = ({ parents: _, ...a }: PoolObject, { parents: __, ...b }: PoolObject) =>
  isDeepStrictEqual(a, b);
