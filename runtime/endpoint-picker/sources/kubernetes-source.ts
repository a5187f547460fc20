import type { KubernetesClient, Query } from "../../kubernetes/client.ts";
import { type KubernetesObject, keyOf } from "../../kubernetes/object.ts";
import { Reflector, type ReflectorOptions } from "../../kubernetes/reflector.ts";
import type {
  ObjectiveObject,
  PodObject,
  PoolObject,
  PoolObjects,
  PoolSource,
  RewriteObject,
} from "../datastore/pool-objects.ts";
import {
  defaultPoolGroup,
  objectiveKinds,
  pathOf,
  podKind,
  poolKind,
  rewriteKinds,
  type ServedKind,
} from "./pool-kinds.ts";
import { readObjective, readPod, readPool, readRewrite, reasonOf } from "./read-objects.ts";

export interface KubernetesSourceOptions {
  readonly client: Pick<KubernetesClient, "request" | "watch">;
  readonly namespace: string;
  /** A pool by its name; or pods by labels, without a pool, objectives and rewrites. */
  readonly pool:
    | { readonly name: string; readonly group?: string | undefined }
    | {
        readonly matchLabels: Readonly<Record<string, string>>;
        readonly targetPorts: readonly number[];
      };
  /** Told what an object or the API server does wrong, each once; `key` names where. */
  readonly onProblem: (key: string, message: string) => void;
  /** How the reflectors wait. */
  readonly timing?: Pick<ReflectorOptions<unknown>, "backOff" | "probeInterval" | "time">;
}

type Read<T> = (object: KubernetesObject) => T | undefined;

/** Pods of one selector. */
interface Pods {
  readonly selector: string;
  readonly reflector: Reflector<PodObject>;
}

/**
 * Reads a pool, its pods, objectives and rewrites from an API server. Pods are watched by the pool's own labels, so
 * that a namespace's other pods cost nothing. Objectives and rewrites are the union of every group and version that
 * is served, now or later.
 */
export class KubernetesSource implements PoolSource {
  readonly #options: KubernetesSourceOptions;
  readonly #pool: Reflector<PoolObject> | undefined;
  readonly #objectives: ReadonlyArray<Reflector<ObjectiveObject>>;
  readonly #rewrites: ReadonlyArray<Reflector<RewriteObject>>;
  /** The pods that are told; of the pool's selector before while those of its new one are listed. */
  #pods: Pods | undefined;
  #nextPods: Pods | undefined;
  #onChange: (objects: PoolObjects) => void = () => {};
  #due = false;
  #stopped = false;
  #missing = false;

  constructor(options: KubernetesSourceOptions) {
    this.#options = options;
    const { pool } = options;
    if ("matchLabels" in pool) {
      this.#objectives = [];
      this.#rewrites = [];
      return;
    }
    const { name, group = defaultPoolGroup } = pool;
    const query = { fieldSelector: `metadata.name=${name}` };
    this.#pool = this.#reflect(poolKind(group), (object) => readPool(object, group), query);
    this.#objectives = objectiveKinds.map((kind) => this.#reflect(kind, readObjective));
    this.#rewrites = rewriteKinds.map((kind) => this.#reflect(kind, readRewrite));
  }

  start(onChange: (objects: PoolObjects) => void): void {
    this.#onChange = onChange;
    for (const reflector of this.#fixed) reflector.start();
    this.#changed();
  }

  synced(): boolean {
    return this.#isRead() && this.#poolObject() !== undefined;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    const pods = [this.#pods, this.#nextPods].flatMap((pods) => pods?.reflector ?? []);
    await Promise.all([...this.#fixed, ...pods].map((reflector) => reflector.stop()));
  }

  /** Reflectors that last as long as the source. */
  get #fixed(): ReadonlyArray<Pick<Reflector<unknown>, "start" | "stop" | "synced">> {
    const pool = this.#pool === undefined ? [] : [this.#pool];
    return [...pool, ...this.#objectives, ...this.#rewrites];
  }

  #reflect<T>(kind: ServedKind, read: Read<T>, query: Query = {}): Reflector<T> {
    const { client, namespace, onProblem, timing } = this.#options;
    const path = pathOf(kind, namespace);
    return new Reflector<T>({
      ...{ client, path, query, ...timing },
      trim: (object) => this.#readOne(kind, object, read),
      onChange: () => this.#changed(),
      onState: (state) => {
        if (state.kind === "failing") onProblem(path, state.error.message);
        if (state.kind === "absent" && kind.required)
          onProblem(path, "the API server does not serve this kind; install its CRD");
        this.#changed();
      },
    });
  }

  /** What cannot be read is told and left out. */
  #readOne<T>(kind: ServedKind, object: KubernetesObject, read: Read<T>): T | undefined {
    try {
      return read(object);
    } catch (error) {
      this.#options.onProblem(`${kind.plural} ${keyOf(object)}`, reasonOf(error));
      return undefined;
    }
  }

  /** Changes of one turn of the event loop are told together. */
  #changed(): void {
    if (this.#due || this.#stopped) return;
    this.#due = true;
    setImmediate(() => {
      this.#due = false;
      if (!this.#stopped) this.#update();
    });
  }

  #update(): void {
    const pool = this.#poolObject();
    if (pool !== undefined) this.#followPods(selectorOf(pool.matchLabels));
    if (!this.#isRead()) return;
    this.#tellMissing(pool);
    this.#onChange({
      pool,
      pods: [...(this.#pods?.reflector.objects.values() ?? [])],
      objectives: union(this.#objectives),
      rewrites: union(this.#rewrites),
    });
  }

  #isRead(): boolean {
    const pods = this.#pods !== undefined || this.#poolObject() === undefined;
    return pods && this.#fixed.every(({ synced }) => synced);
  }

  #poolObject(): PoolObject | undefined {
    const { pool, namespace } = this.#options;
    if (!("matchLabels" in pool)) return this.#pool?.objects.get(`${namespace}/${pool.name}`);
    return {
      ...{ namespace, name: "", uid: "", creationTimestamp: "", group: defaultPoolGroup },
      ...{ ...pool, appProtocol: "http" },
    };
  }

  /** Watches the pods of a selector; those of another one are told until these were listed. */
  #followPods(selector: string): void {
    if ((this.#nextPods ?? this.#pods)?.selector !== selector) {
      void this.#nextPods?.reflector.stop();
      const reflector = this.#reflect(podKind, readPod, { labelSelector: selector });
      this.#nextPods = { selector, reflector };
      reflector.start();
    }
    if (!this.#nextPods?.reflector.synced) return;
    void this.#pods?.reflector.stop();
    this.#pods = this.#nextPods;
    this.#nextPods = undefined;
  }

  #tellMissing(pool: PoolObject | undefined): void {
    const { namespace, pool: wanted, onProblem } = this.#options;
    const missing = pool === undefined && this.#pool?.state.kind === "current";
    if (missing && !this.#missing && "name" in wanted)
      onProblem(`InferencePool ${namespace}/${wanted.name}`, "does not exist or is being deleted");
    this.#missing = missing;
  }
}

/** Of objects of one name that of the first reflector. */
function union<T>(reflectors: ReadonlyArray<Reflector<T>>): T[] {
  const objects = new Map<string, T>();
  for (const reflector of reflectors)
    for (const [key, object] of reflector.objects) if (!objects.has(key)) objects.set(key, object);
  return [...objects.values()];
}

const selectorOf = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .sort()
    .join(",");
