import type { Reflector } from "../../../kubernetes/cache/reflector.ts";
import { kinds } from "../../../kubernetes/kinds/index.ts";
import { addressOf } from "../../../kubernetes/kinds/kind.ts";
import { unplanned } from "../../../kubernetes/kinds/unplanned.ts";
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
import type { NamespacedServices } from "./namespaced-services.ts";
import { readObjective, readPod, readPool } from "./read-objects.ts";
import { ReflectedKinds, type SourceOptions } from "./reflected-kinds.ts";
import { ReflectedList } from "./reflected-list.ts";
import { selectorOf } from "./selector.ts";

export interface KubernetesSourceOptions extends SourceOptions {
  readonly namespace: string;
  /** A pool by its name; or pods by labels, without a pool and the objects about it. */
  readonly pool:
    | { readonly name: string; readonly group?: string | undefined }
    | {
        readonly matchLabels: Readonly<Record<string, string>>;
        readonly targetPorts: readonly number[];
      };
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
  readonly #reflected: ReflectedKinds;
  readonly #objectives: ReflectedList<ObjectiveObject>;
  readonly #rewrites: ReflectedList<RewriteObject>;
  readonly #services: NamespacedServices;
  /** The pods of the snapshot: those of the old selector until those of the new one are listed. */
  #pods: Pods | undefined;
  #nextPods: Pods | undefined;
  #onChange: (objects: PoolObjects) => void = () => {};
  #missing = false;
  /** The pool was told, with everything about it. */
  #notified = false;

  constructor(options: KubernetesSourceOptions) {
    this.#options = options;
    this.#reflected = new ReflectedKinds(options, () => this.#update());
    this.#services = this.#reflected.services();
    const { pool } = options;
    if ("matchLabels" in pool) {
      this.#objectives = new ReflectedList();
      this.#rewrites = new ReflectedList();
      return;
    }
    const { name, group = kinds.InferencePool.group } = pool;
    const query = { fieldSelector: `metadata.name=${name}` };
    this.#pool = this.#reflected.one(
      addressOf(kinds.InferencePool, `${group}/${kinds.InferencePool.version}`),
      (object) => readPool(object, group),
      { query, required: true },
    );
    this.#objectives = this.#reflected.everyVersion(kinds.InferenceObjective, readObjective);
    this.#rewrites = this.#reflected.everyVersion(kinds.InferenceModelRewrite, readModelRewrite);
  }

  start(onChange: (objects: PoolObjects) => void): void {
    this.#onChange = onChange;
    for (const reflector of this.#fixed) reflector.start();
    if (this.#pool !== undefined) this.#services.follow([this.#options.namespace]);
    this.#reflected.changed();
  }

  synced(): boolean {
    return this.#isRead() && this.#poolObject() !== undefined;
  }

  async stop(): Promise<void> {
    this.#reflected.stop();
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

  #update(): void {
    const pool = this.#poolObject();
    if (pool !== undefined) this.#follow(pool);
    if (!this.#isRead()) return;
    this.#notified ||= pool !== undefined;
    this.#reportMissing(pool);
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
    const services = this.#notified || this.#services.settled;
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
      this.#services.follow([pool.namespace, ...pool.allowedNamespaces]);
  }

  /** Watches the pods of a selector; those of another one are told until these were listed. */
  #followPods(selector: string): void {
    if ((this.#nextPods ?? this.#pods)?.selector !== selector) {
      void this.#nextPods?.reflector.stop();
      const reflector = this.#reflected.one(unplanned.Pod, readPod, {
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

  #reportMissing(pool: PoolObject | undefined): void {
    const { namespace, pool: wanted, onProblem } = this.#options;
    const missing = pool === undefined && this.#pool?.state.kind === "current";
    if (missing && !this.#missing && "name" in wanted)
      onProblem(`InferencePool ${namespace}/${wanted.name}`, "does not exist or is being deleted");
    this.#missing = missing;
  }
}
