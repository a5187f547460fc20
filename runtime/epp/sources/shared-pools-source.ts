import type { Reflector } from "../../../kubernetes/cache/reflector.ts";
import { kinds } from "../../../kubernetes/kinds/index.ts";
import { unplanned } from "../../../kubernetes/kinds/unplanned.ts";
import { readModelRewrite } from "../../../sdk/routing/read-model-rewrite.ts";
import type {
  ObjectiveObject,
  PodObject,
  PoolObjects,
  RewriteObject,
  ServiceObject,
} from "../datastore/pool-objects.ts";
import { poolsBySelector } from "./matching-pools.ts";
import type { NamespacedServices } from "./namespaced-services.ts";
import { Partition } from "./partition.ts";
import { readObjective, readPod } from "./read-objects.ts";
import { readSharedPool, type SharedPoolObject } from "./read-shared-pool.ts";
import { ReflectedKinds, type SourceOptions } from "./reflected-kinds.ts";
import type { ReflectedList } from "./reflected-list.ts";

/** A pool that names the picker, with the objects of this pool only. */
export interface SharedPool extends SharedPoolObject {
  readonly objects: PoolObjects;
}

export interface SharedPoolsSourceOptions extends SourceOptions {
  /** Namespace of the picker, its Service and the pools. */
  readonly namespace: string;
  /** Name of the picker's Service. */
  readonly service: string;
  /**
   * Called with every pool when all kinds were read once, then after changes. A list that did not change is the same
   * array.
   */
  readonly onPools: (pools: readonly SharedPool[]) => void;
}

/** Minimum time for which changes are collected. */
const collectMs = 5;

/**
 * Reads the InferencePools of a namespace that name one Service as their picker, and their objects. Each kind is
 * watched once for all pools.
 */
export class SharedPoolsSource {
  readonly #options: SharedPoolsSourceOptions;
  readonly #pools: Reflector<SharedPoolObject>;
  readonly #pods: Reflector<PodObject>;
  readonly #reflected: ReflectedKinds;
  readonly #objectives: ReflectedList<ObjectiveObject>;
  readonly #rewrites: ReflectedList<RewriteObject>;
  readonly #services: NamespacedServices;
  readonly #parts = {
    pods: new Partition<PodObject>(),
    objectives: new Partition<ObjectiveObject>(),
    rewrites: new Partition<RewriteObject>(),
    services: new Partition<ServiceObject>(),
  };
  #notified = false;

  constructor(options: SharedPoolsSourceOptions) {
    this.#options = options;
    this.#reflected = new ReflectedKinds(options, () => this.#update(), collectMs);
    this.#services = this.#reflected.services();
    this.#pools = this.#reflected.one(
      kinds.InferencePool,
      (object) => readSharedPool(object, options.service),
      { required: true },
    );
    this.#pods = this.#reflected.one(unplanned.Pod, (object) => readPod(object), {
      required: true,
    });
    this.#objectives = this.#reflected.everyVersion(kinds.InferenceObjective, readObjective);
    this.#rewrites = this.#reflected.everyVersion(kinds.InferenceModelRewrite, readModelRewrite);
  }

  start(): void {
    for (const reflector of this.#fixed) reflector.start();
    this.#services.follow([this.#options.namespace]);
  }

  /** Reports whether everything was read and passed on once. */
  synced(): boolean {
    return this.#notified;
  }

  async stop(): Promise<void> {
    this.#reflected.stop();
    await Promise.all([this.#services.stop(), ...this.#fixed.map((each) => each.stop())]);
  }

  get #fixed(): ReadonlyArray<Pick<Reflector<unknown>, "start" | "stop" | "synced">> {
    const { reflectors: objectives } = this.#objectives;
    return [this.#pools, this.#pods, ...objectives, ...this.#rewrites.reflectors];
  }

  #update(): void {
    const { namespace, onPools } = this.#options;
    const pools = [...this.#pools.objects.values()];
    if (this.#pools.synced)
      this.#services.follow([namespace, ...pools.flatMap(({ pool }) => pool.allowedNamespaces)]);
    const isRead =
      (this.#notified || this.#services.settled) && this.#fixed.every(({ synced }) => synced);
    if (!isRead) return;
    this.#notified = true;
    onPools(this.#divided(pools));
  }

  #divided(pools: readonly SharedPoolObject[]): SharedPool[] {
    const { namespace } = this.#options;
    const about = ({ poolRef }: { readonly poolRef: { readonly name: string } }) => [poolRef.name];
    const podsOf = poolsBySelector(pools.map(({ pool }) => pool));
    const pods = this.#parts.pods.divide(this.#pods.objects.values(), podsOf);
    const objectives = this.#parts.objectives.divide(this.#objectives.list, about);
    const rewrites = this.#parts.rewrites.divide(this.#rewrites.list, about);
    const services = this.#parts.services.divide(this.#services.list, (service) =>
      service.pools.filter((pool) => pool.namespace === namespace).map(({ name }) => name),
    );
    return pools.map((shared) => {
      const { name } = shared.pool;
      return {
        ...shared,
        objects: {
          pool: shared.pool,
          pods: pods.get(name) ?? none,
          objectives: objectives.get(name) ?? none,
          rewrites: rewrites.get(name) ?? none,
          services: services.get(name) ?? none,
        },
      };
    });
  }
}

const none: readonly never[] = [];
