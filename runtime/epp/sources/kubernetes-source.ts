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
  /** A pool by its name, or pods by labels without a pool and its rules. */
  readonly pool:
    | { readonly name: string; readonly group?: string | undefined }
    | {
        readonly matchLabels: Readonly<Record<string, string>>;
        readonly targetPorts: readonly number[];
      };
}

interface Pods {
  readonly selector: string;
  readonly reflector: Reflector<PodObject>;
}

/**
 * Reads a pool, its pods and its rules from an API server. Pods are watched by the pool's labels, so that other pods of
 * the namespace cost nothing. Objectives and rewrites are merged from all their groups and versions, including ones
 * that are served only later. LLMServices are read from the pool's namespace and from the namespaces that its
 * annotation admits.
 */
export class KubernetesSource implements PoolSource {
  readonly #options: KubernetesSourceOptions;
  readonly #pool: Reflector<PoolObject> | undefined;
  readonly #reflected: ReflectedKinds;
  readonly #objectives: ReflectedList<ObjectiveObject>;
  readonly #rewrites: ReflectedList<RewriteObject>;
  readonly #services: NamespacedServices;
  /**
   * The pods of the snapshot. After an edit of the selector, they are the pods of the old selector until the pods of
   * the new selector are listed.
   */
  #pods: Pods | undefined;
  #nextPods: Pods | undefined;
  #onChange: (objects: PoolObjects) => void = () => {};
  #missing = false;
  /** Whether the pool was passed to `onChange` with all its objects. */
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

  /** Reflectors that run as long as the source. */
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

  /** The services of a namespace that is admitted later do not delay updates. */
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

  /**
   * Watches the pods of a selector. The pods of the old selector stay in the snapshot until the new ones are listed.
   */
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
