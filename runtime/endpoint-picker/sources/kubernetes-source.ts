import type { KubernetesClient, Query } from "../../../kubernetes/api/client.ts";
import { type ReflectorTiming, reflectKind } from "../../../kubernetes/cache/reflect-kind.ts";
import type { Reflector } from "../../../kubernetes/cache/reflector.ts";
import { kinds } from "../../../kubernetes/kinds/index.ts";
import { addressesOf, addressOf, type KindAddress } from "../../../kubernetes/kinds/kind.ts";
import { unplanned } from "../../../kubernetes/kinds/unplanned.ts";
import { collectionPath } from "../../../kubernetes/paths.ts";
import type { KubernetesObject } from "../../../kubernetes/values/object.ts";
import { readModelRewrite } from "../../../sdk/routing/read-model-rewrite.ts";
import { poolAnnotations } from "../../../sdk/routing/routed-pool.ts";
import type {
  ObjectiveObject,
  PodObject,
  PoolObject,
  PoolObjects,
  PoolSource,
  RewriteObject,
} from "../datastore/pool-objects.ts";
import { NamespacedServices } from "./namespaced-services.ts";
import { readObjective, readPod, readPool } from "./read-objects.ts";
import { readOrTell, readServiceAndTell } from "./read-or-tell.ts";
import { ReflectedList } from "./reflected-list.ts";
import { selectorOf } from "./selector.ts";

export interface KubernetesSourceOptions {
  readonly client: Pick<KubernetesClient, "request" | "watch">;
  readonly namespace: string;
  /** A pool by its name; or pods by labels, without a pool and the objects about it. */
  readonly pool:
    | { readonly name: string; readonly group?: string | undefined }
    | {
        readonly matchLabels: Readonly<Record<string, string>>;
        readonly targetPorts: readonly number[];
      };
  /** Receives once what an object or the API server does wrong; `key` names the object or kind. */
  readonly onProblem: (key: string, message: string) => void;
  /** How the reflectors wait. */
  readonly timing?: ReflectorTiming;
}

/** Milliseconds of an update from which updates are throttled. */
const slowMs = 1;
/** The pause after a slow update, as a multiple of its time. */
const restPerCost = 10;

type Read<T> = (object: KubernetesObject) => T | undefined;

interface Reflected {
  /** Nothing works without the kind. */
  readonly required?: boolean;
  /** Default: the pool's. */
  readonly namespace?: string;
  readonly query?: Query;
  /** Called before the change is told. */
  readonly onChange?: () => void;
}

/** Pods of one selector. */
interface Pods {
  readonly selector: string;
  readonly reflector: Reflector<PodObject>;
}

/**
 * Reads a pool, its pods and the objects about it from an API server. Pods are watched by the pool's own labels, so
 * that a namespace's other pods cost nothing. Objectives and rewrites are the union of every group and version that
 * is served, now or later. LLMServices are those of the pool's namespace and of the namespaces that the pool admits,
 * as its annotation says at the moment.
 */
export class KubernetesSource implements PoolSource {
  readonly #options: KubernetesSourceOptions;
  readonly #pool: Reflector<PoolObject> | undefined;
  readonly #objectives = new ReflectedList<ObjectiveObject>();
  readonly #rewrites = new ReflectedList<RewriteObject>();
  readonly #services = new NamespacedServices((namespace, onChange) =>
    this.#reflect(kinds.LLMService, readServiceAndTell(this.#options.onProblem), {
      namespace,
      onChange,
    }),
  );
  /** The pods of the snapshot: those of the old selector until those of the new one are listed. */
  #pods: Pods | undefined;
  #nextPods: Pods | undefined;
  #onChange: (objects: PoolObjects) => void = () => {};
  #due = false;
  /** Milliseconds that the last change took to tell. */
  #costMs = 0;
  #stopped = false;
  #missing = false;
  /** The pool was told, with everything about it. */
  #told = false;

  constructor(options: KubernetesSourceOptions) {
    this.#options = options;
    const { pool } = options;
    if ("matchLabels" in pool) return;
    const { name, group = kinds.InferencePool.group } = pool;
    const query = { fieldSelector: `metadata.name=${name}` };
    this.#pool = this.#reflect(
      addressOf(kinds.InferencePool, `${group}/${kinds.InferencePool.version}`),
      (object) => readPool(object, group),
      { query, required: true },
    );
    this.#objectives.reflectors = addressesOf(kinds.InferenceObjective).map((kind) =>
      this.#reflect(kind, readObjective, { onChange: this.#objectives.changed }),
    );
    this.#rewrites.reflectors = addressesOf(kinds.InferenceModelRewrite).map((kind) =>
      this.#reflect(kind, readModelRewrite, { onChange: this.#rewrites.changed }),
    );
  }

  start(onChange: (objects: PoolObjects) => void): void {
    this.#onChange = onChange;
    for (const reflector of this.#fixed) reflector.start();
    if (this.#pool !== undefined) this.#services.follow([this.#options.namespace]);
    this.#changed();
  }

  synced(): boolean {
    return this.#isRead() && this.#poolObject() !== undefined;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    const pods = [this.#pods, this.#nextPods].flatMap((pods) => pods?.reflector ?? []);
    await Promise.all([
      this.#services.stop(),
      ...[...this.#fixed, ...pods].map((reflector) => reflector.stop()),
    ]);
  }

  /** Reflectors that last as long as the source. */
  get #fixed(): ReadonlyArray<Pick<Reflector<unknown>, "start" | "stop" | "synced">> {
    const pool = this.#pool === undefined ? [] : [this.#pool];
    return [...pool, ...this.#objectives.reflectors, ...this.#rewrites.reflectors];
  }

  #reflect<T>(
    kind: KindAddress,
    read: Read<T>,
    { namespace = this.#options.namespace, query, onChange, required }: Reflected = {},
  ): Reflector<T> {
    const { client, onProblem, timing } = this.#options;
    const path = collectionPath(kind, namespace);
    return reflectKind<T>({
      ...{ client, kind, namespace, query, timing },
      ...(required && { required }),
      read: readOrTell(kind, read, onProblem),
      onChange: () => {
        onChange?.();
        this.#changed();
      },
      onState: () => this.#changed(),
      onProblem: (message) => onProblem(path, message),
    });
  }

  /**
   * Changes of one turn of the event loop are told together; those of more turns where telling them takes long, as
   * with thousands of LLMServices, so that requests keep most of the processor.
   */
  #changed(): void {
    if (this.#due || this.#stopped) return;
    this.#due = true;
    const tell = () => {
      this.#due = false;
      if (this.#stopped) return;
      const start = performance.now();
      this.#update();
      this.#costMs = performance.now() - start;
    };
    if (this.#costMs < slowMs) setImmediate(tell);
    else setTimeout(tell, this.#costMs * restPerCost);
  }

  #update(): void {
    const pool = this.#poolObject();
    if (pool !== undefined) this.#follow(pool);
    if (!this.#isRead()) return;
    this.#told ||= pool !== undefined;
    this.#tellMissing(pool);
    this.#onChange({
      pool,
      pods: [...(this.#pods?.reflector.objects.values() ?? [])],
      objectives: this.#objectives.list,
      rewrites: this.#rewrites.list,
      services: this.#services.list,
    });
  }

  /** A namespace that is admitted later holds up nothing of what is told already. */
  #isRead(): boolean {
    const pods = this.#pods !== undefined || this.#poolObject() === undefined;
    const services = this.#told || this.#services.settled;
    return pods && services && this.#fixed.every(({ synced }) => synced);
  }

  #poolObject(): PoolObject | undefined {
    const { pool, namespace } = this.#options;
    if (!("matchLabels" in pool)) return this.#pool?.objects.get(`${namespace}/${pool.name}`);
    return {
      ...{ namespace, name: "", uid: "", creationTimestamp: "", group: kinds.InferencePool.group },
      ...{ ...pool, appProtocol: "http", ...poolAnnotations({}) },
    };
  }

  #follow(pool: PoolObject): void {
    this.#followPods(selectorOf(pool.matchLabels));
    if (this.#pool !== undefined)
      this.#services.follow([pool.namespace, ...pool.serviceNamespaces]);
  }

  /** Watches the pods of a selector; those of another one are told until these were listed. */
  #followPods(selector: string): void {
    if ((this.#nextPods ?? this.#pods)?.selector !== selector) {
      void this.#nextPods?.reflector.stop();
      const reflector = this.#reflect(unplanned.Pod, readPod, {
        required: true,
        query: { labelSelector: selector },
      });
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
