import type { KubernetesClient } from "../../../kubernetes/api/client.ts";
import { type ReflectorTiming, reflectKind } from "../../../kubernetes/cache/reflect-kind.ts";
import type { Reflector } from "../../../kubernetes/cache/reflector.ts";
import { kinds } from "../../../kubernetes/kinds/index.ts";
import { addressesOf, type KindAddress } from "../../../kubernetes/kinds/kind.ts";
import { unplanned } from "../../../kubernetes/kinds/unplanned.ts";
import type { KubernetesObject } from "../../../kubernetes/values/object.ts";
import { readModelRewrite } from "../../../sdk/routing/read-model-rewrite.ts";
import type {
  ObjectiveObject,
  PodObject,
  PoolObjects,
  RewriteObject,
  ServiceObject,
} from "../datastore/pool-objects.ts";
import { poolsBySelector } from "./matching-pools.ts";
import { NamespacedServices } from "./namespaced-services.ts";
import { Partition } from "./partition.ts";
import { readObjective, readPod } from "./read-objects.ts";
import { readOrTell, readServiceAndTell } from "./read-or-tell.ts";
import { readSharedPool, type SharedPoolObject } from "./read-shared-pool.ts";
import { ReflectedList } from "./reflected-list.ts";

/** A pool that names the picker, with the objects about it alone. */
export interface SharedPool extends SharedPoolObject {
  readonly objects: PoolObjects;
}

export interface SharedPoolsSourceOptions {
  readonly client: Pick<KubernetesClient, "request" | "watch">;
  /** The namespace of the picker, its Service and the pools. */
  readonly namespace: string;
  /** Name of the picker's Service. */
  readonly service: string;
  /** Called with every pool once all was read, then after changes; a list that did not change is the same array. */
  readonly onPools: (pools: readonly SharedPool[]) => void;
  /** Receives what an object or the API server does wrong; `key` names the object or kind. */
  readonly onProblem: (key: string, message: string) => void;
  readonly timing?: ReflectorTiming;
}

/** After changes were told, it rests so many times as long. */
const restPerCost = 10;

/** Milliseconds in which changes are collected at least. */
const collectMs = 5;

/**
 * Reads the InferencePools of a namespace that name one Service as their picker, and the objects about them. Each kind is
 * watched once, however many pools there are.
 */
export class SharedPoolsSource {
  readonly #options: SharedPoolsSourceOptions;
  readonly #pools: Reflector<SharedPoolObject>;
  readonly #pods: Reflector<PodObject>;
  readonly #objectives = new ReflectedList<ObjectiveObject>();
  readonly #rewrites = new ReflectedList<RewriteObject>();
  readonly #services = new NamespacedServices((namespace, onChange) =>
    this.#reflect(kinds.LLMService, readServiceAndTell(this.#options.onProblem), {
      namespace,
      onChange,
    }),
  );
  readonly #parts = {
    pods: new Partition<PodObject>(),
    objectives: new Partition<ObjectiveObject>(),
    rewrites: new Partition<RewriteObject>(),
    services: new Partition<ServiceObject>(),
  };
  #due: NodeJS.Timeout | undefined;
  #costMs = 0;
  #told = false;
  #stopped = false;

  constructor(options: SharedPoolsSourceOptions) {
    this.#options = options;
    this.#pools = this.#reflect(
      kinds.InferencePool,
      (object) => readSharedPool(object, options.service),
      { required: true },
    );
    this.#pods = this.#reflect(unplanned.Pod, (object) => readPod(object), { required: true });
    this.#objectives.reflectors = addressesOf(kinds.InferenceObjective).map((kind) =>
      this.#reflect(kind, readObjective, { onChange: this.#objectives.changed }),
    );
    this.#rewrites.reflectors = addressesOf(kinds.InferenceModelRewrite).map((kind) =>
      this.#reflect(kind, readModelRewrite, { onChange: this.#rewrites.changed }),
    );
  }

  start(): void {
    for (const reflector of this.#fixed) reflector.start();
    this.#services.follow([this.#options.namespace]);
  }

  /** Everything was read and told once. */
  synced(): boolean {
    return this.#told;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#due);
    await Promise.all([this.#services.stop(), ...this.#fixed.map((each) => each.stop())]);
  }

  get #fixed(): ReadonlyArray<Pick<Reflector<unknown>, "start" | "stop" | "synced">> {
    const { reflectors: objectives } = this.#objectives;
    return [this.#pools, this.#pods, ...objectives, ...this.#rewrites.reflectors];
  }

  #reflect<T>(
    kind: KindAddress,
    read: (object: KubernetesObject) => T | undefined,
    {
      namespace = this.#options.namespace,
      onChange = () => {},
      required = false,
    }: { namespace?: string; onChange?: () => void; required?: boolean } = {},
  ): Reflector<T> {
    const { client, onProblem, timing } = this.#options;
    return reflectKind<T>({
      ...{ client, kind, namespace, required, timing },
      read: readOrTell(kind, read, onProblem),
      onChange: () => {
        onChange();
        this.#changed();
      },
      onState: () => this.#changed(),
      onProblem: (message) => onProblem(kind.plural, message),
    });
  }

  /** Changes are told together, so that requests keep most of the processor. */
  #changed(): void {
    if (this.#due !== undefined || this.#stopped) return;
    this.#due = setTimeout(
      () => {
        this.#due = undefined;
        if (this.#stopped) return;
        const start = performance.now();
        this.#update();
        this.#costMs = performance.now() - start;
      },
      Math.max(collectMs, this.#costMs * restPerCost),
    );
  }

  #update(): void {
    const { namespace, onPools } = this.#options;
    const pools = [...this.#pools.objects.values()];
    if (this.#pools.synced)
      this.#services.follow([namespace, ...pools.flatMap(({ pool }) => pool.serviceNamespaces)]);
    const isRead =
      (this.#told || this.#services.settled) && this.#fixed.every(({ synced }) => synced);
    if (!isRead) return;
    this.#told = true;
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
