import type { KubernetesClient } from "../../../kubernetes/api/client.ts";
import type { Change } from "../../../kubernetes/cache/object-cache.ts";
import { type ReflectorTiming, reflectKind } from "../../../kubernetes/cache/reflect-kind.ts";
import type { Reflector, ReflectorState } from "../../../kubernetes/cache/reflector.ts";
import { systemTime } from "../../../kubernetes/control/time.ts";
import type { KubernetesObject } from "../../../kubernetes/values/object.ts";
import { messageOf } from "../../../kubernetes/values/records.ts";
import {
  type ImportView,
  isUnread,
  type MemberView,
  type PickerView,
  type PoolView,
} from "../../../sdk/multi-cluster/view.ts";
import { exportsBeyond, isExport } from "./exported-pools.ts";
import { Heartbeat, type HeartbeatTiming } from "./heartbeat.ts";
import { type Kind, kinds } from "./kinds.ts";
import { defaultMemberLimits, type MemberLimits } from "./member-limits.ts";
import { isNamed } from "./member-shapes.ts";
import { PendingWrites } from "./pending-writes.ts";
import { PoolGateways } from "./pool-gateways.ts";
import { readImport } from "./read-import.ts";
import { type NamespaceObject, readNamespace } from "./read-namespace.ts";
import {
  type GatewayObject,
  type RouteObject,
  readGateway,
  readRoute,
  readService,
  readSlice,
} from "./read-network.ts";
import { type PoolObject, readPool } from "./read-pool.ts";
import { ReadyEndpoints } from "./ready-endpoints.ts";
import { ReferenceIndex } from "./reference-index.ts";
import { servedImport } from "./served-import.ts";

export interface RemoteClusterOptions {
  readonly client: Pick<KubernetesClient, "request" | "watch">;
  readonly controllerName: string;
  /** Called with each name (`namespace/name`) that has changed. */
  readonly onName: (key: string) => void;
  /** Called with a namespace that was created or deleted, or whose phase changed. */
  readonly onNamespace: (namespace: string) => void;
  /** Called on a change that affects all names, such as the contact or the kind of the imports. */
  readonly onAll: () => void;
  /** Called when a kind cannot be read. */
  readonly onProblem: (kind: Kind, message: string) => void;
  /** Limits on the data read from the cluster. Default: the defaults of the flags. */
  readonly limits?: MemberLimits;
  /** Maximum number of pools that it exports. */
  readonly maxExports: () => number;
  /** Time after which a lost cluster is unreachable, in ms. Default 30,000. */
  readonly unreachableAfterMs?: number;
  readonly timing?: ReflectorTiming;
  /** Interval and timeout of the heartbeat. Default 10 s each. */
  readonly heartbeat?: HeartbeatTiming | undefined;
}

/** Kinds that must be read before anything is known about a cluster. */
const essential: readonly Kind[] = ["namespaces", "pools", "imports"];
/**
 * Maximum silence and maximum total time of the first read of a cluster, in ms. After that, the other clusters are
 * planned without it. They are planned again once it is read.
 */
const firstAnswersMs = 10_000;
const longestReadingMs = 60_000;
/** Interval between two checks of which kind of import is served, in ms. */
const schemaIntervalMs = 300_000;
const schemaRetryMs = 1_000;

/** State of one member for the controller, followed as it changes. */
export class RemoteCluster {
  readonly #options: RemoteClusterOptions;
  readonly #reflectors = new Map<Kind, Reflector<unknown>>();
  readonly #startedAt = systemTime.now();
  /** When it last answered a list request. */
  #receivedAt = this.#startedAt;
  readonly #stop = new AbortController();
  readonly #ready = new ReadyEndpoints();
  readonly #poolsOfServices = new ReferenceIndex();
  readonly #namespaces: Reflector<NamespaceObject>;
  readonly #pools: Reflector<PoolObject>;
  readonly #imports: Reflector<ImportView>;
  readonly #services;
  readonly #gateways: PoolGateways;
  readonly written = {
    pools: new PendingWrites<PoolObject>(() => this.#pools.resourceVersion),
    imports: new PendingWrites<ImportView>(() => this.#imports.resourceVersion),
  };
  #served: MemberView["imports"] = "absent";
  #servedIsKnown = false;
  #schemaTimer: NodeJS.Timeout | undefined;
  readonly #heartbeat: Heartbeat;
  /** Error of the last heartbeat; undefined if it succeeded. */
  #silence: Error | undefined;
  #lostAt: number | undefined;
  /** Names of the exported pools beyond the limit, which are the youngest; undefined if they must be computed again. */
  #beyond: ReadonlySet<string> | undefined;

  constructor(options: RemoteClusterOptions) {
    this.#options = options;
    const { controllerName, onName } = options;
    this.#namespaces = this.#reflect("namespaces", readNamespace, ({ key }) =>
      this.#namespaceChanged(key),
    );
    this.#pools = this.#reflect("pools", readPool, (change) => this.#poolChanged(change));
    this.#imports = this.#reflect("imports", readImport(controllerName), ({ key }) => onName(key));
    this.#services = this.#reflect("services", readService, ({ key }) => this.#serviceChanged(key));
    this.#reflect("endpointSlices", readSlice, (change) => {
      for (const service of this.#ready.change(change)) this.#serviceChanged(service);
    });
    const routes = this.#reflect<RouteObject>("routes", readRoute, (change) =>
      this.#report(this.#gateways.routeChanged(change)),
    );
    const gateways = this.#reflect<GatewayObject>("gateways", readGateway, ({ key }) =>
      this.#report(this.#gateways.poolsBehind(key)),
    );
    this.#gateways = new PoolGateways(routes, gateways);
    this.#heartbeat = new Heartbeat({
      client: options.client,
      timing: options.heartbeat,
      onAnswer: () => this.#answers(),
      onFailure: (error) => this.#isSilent(error),
    });
  }

  start(): void {
    for (const reflector of this.#reflectors.values()) reflector.start();
    this.#waitForFirstAnswers();
    this.#heartbeat.start();
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error("stopped"));
    this.#heartbeat.stop();
    clearTimeout(this.#schemaTimer);
    await Promise.all([...this.#reflectors.values()].map((reflector) => reflector.stop()));
  }

  /** Uid of the namespace kube-system, which identifies the cluster; undefined until it is read. */
  get identity(): string | undefined {
    return this.#namespaces.objects.get("kube-system")?.uid;
  }

  /** Whether everything was read once, or the other clusters should no longer wait for it. */
  get settled(): boolean {
    if (systemTime.now() >= this.#goesOnAt) return true;
    const reflectors = [...this.#reflectors.values()];
    const answered = reflectors.every(({ synced, state }) => synced || state.kind === "failing");
    const isLost = this.#lostAt !== undefined;
    return answered && (this.#servedIsKnown || isLost);
  }

  /** When the other clusters stop waiting for this cluster, unless it responds before. */
  get #goesOnAt(): number {
    return Math.min(this.#receivedAt + firstAnswersMs, this.#startedAt + longestReadingMs);
  }

  get contact(): MemberView["contact"] {
    const reflectors = essential.map((kind) => this.#reflectors.get(kind));
    if (!reflectors.every((reflector) => reflector?.synced))
      return this.settled ? "unknown" : "starting";
    // Until its Services and EndpointSlices are read, none of its pickers would be ready.
    if (!this.settled) return "starting";
    if (this.#lostAt === undefined) return "current";
    return systemTime.now() - this.#lostAt < this.#unreachableAfterMs ? "failing" : "unreachable";
  }

  /** Milliseconds since the cluster was last followed; undefined while it is followed. */
  get silenceMs(): number | undefined {
    const since = isUnread(this) ? this.#startedAt : this.#lostAt;
    return since === undefined ? undefined : systemTime.now() - since;
  }

  /** Reason why the cluster cannot be followed; undefined if it can be followed. */
  get problem(): string | undefined {
    for (const kind of essential) {
      const state = this.#reflectors.get(kind)?.state;
      if (state?.kind === "failing") return state.error.message;
    }
    return this.#silence?.message;
  }

  get imports(): MemberView["imports"] {
    return this.#imports.state.kind === "absent" ? "absent" : this.#served;
  }

  /** Names that have a pool or an import. */
  *names(): Iterable<string> {
    yield* this.#pools.objects.keys();
    yield* this.#imports.objects.keys();
  }

  /** Whether this pool exceeds the limit of exported pools, because enough older ones are exported. */
  isBeyond(key: string): boolean {
    this.#beyond ??= exportsBeyond(this.#pools.objects, this.#options.maxExports());
    return this.#beyond.has(key);
  }

  /** Forgets which exports are beyond the limit, because the limit may have changed. */
  recount(): void {
    this.#beyond = undefined;
  }

  /** Returns the state of a name. */
  view(
    namespace: string,
    name: string,
  ): Pick<MemberView, "contact" | "silenceMs" | "imports" | "namespace" | "pool" | "import"> {
    const { contact, silenceMs, imports } = this;
    if (isUnread(this))
      return {
        contact,
        silenceMs,
        imports: "absent",
        namespace: "absent",
        pool: undefined,
        import: undefined,
      };
    const key = `${namespace}/${name}`;
    const space = this.#namespaces.objects.get(namespace);
    return {
      contact,
      silenceMs,
      imports,
      namespace: space === undefined ? "absent" : space.terminating ? "terminating" : "active",
      pool: this.#pool(namespace, key),
      import: this.written.imports.newest(key, this.#imports.objects.get(key)),
    };
  }

  /** Checks immediately which kind of import is served, because a refused write may have been of the wrong kind. */
  probe(): void {
    clearTimeout(this.#schemaTimer);
    void this.#probe();
  }

  get #unreachableAfterMs(): number {
    return this.#options.unreachableAfterMs ?? 30_000;
  }

  #pool(namespace: string, key: string): PoolView | undefined {
    const pool = this.written.pools.newest(key, this.#pools.objects.get(key));
    if (pool === undefined) return undefined;
    return {
      ...pool,
      picker: this.#picker(namespace, pool.picker),
      gateways: this.#gateways.of(key),
    };
  }

  #picker(namespace: string, picker: PoolObject["picker"]): PickerView | undefined {
    if (picker === undefined) return undefined;
    const key = `${namespace}/${picker.name}`;
    return { ...picker, service: this.#services.objects.get(key), ready: this.#ready.of(key) };
  }

  #reflect<T>(
    kind: Kind,
    trim: (object: KubernetesObject) => T | undefined,
    onChange: (change: Change<T>) => void,
  ): Reflector<T> {
    const { onProblem, timing, limits = defaultMemberLimits } = this.#options;
    const { objects, objectCharacters } = limits;
    const reflector = reflectKind<T>({
      client: this.#observedClient(),
      kind: kinds[kind],
      read: (object) => {
        if (!isNamed(object)) return undefined;
        const kept = trim(object);
        return kept !== undefined && JSON.stringify(kept).length > objectCharacters
          ? undefined
          : kept;
      },
      objects: objects[kind],
      onChange: (changes) => {
        for (const change of changes) onChange(change);
      },
      onState: (state) => this.#entered(kind, state),
      onProblem: (message) => onProblem(kind, message),
      timing,
    });
    this.#reflectors.set(kind, reflector as Reflector<unknown>);
    return reflector;
  }

  /** Wraps the client to record when a response arrives. */
  #observedClient(): RemoteClusterOptions["client"] {
    const { client } = this.#options;
    return {
      ...client,
      watch: (path, options) => client.watch(path, options),
      request: async (method, path, options) => {
        const answer = await client.request(method, path, options);
        this.#receivedAt = systemTime.now();
        return answer as never;
      },
    };
  }

  #entered(kind: Kind, state: ReflectorState): void {
    if (kind === "imports" && (state.kind === "current" || state.kind === "absent")) this.probe();
    this.#checkContact();
  }

  #checkContact(): void {
    const isLost =
      this.#silence !== undefined ||
      essential.some((each) => this.#reflectors.get(each)?.state.kind === "failing");
    if (!isLost) this.#lostAt = undefined;
    else if (this.#lostAt === undefined) {
      this.#lostAt = systemTime.now();
      this.#later(this.#unreachableAfterMs);
    }
    this.#options.onAll();
  }

  #isSilent(error: Error): void {
    const isNews = this.#silence === undefined;
    this.#silence = error;
    if (isNews) this.#checkContact();
  }

  /** Reconnects all watches, because changes during the silence may never arrive on the open ones. */
  #answers(): void {
    if (this.#silence === undefined) return;
    this.#silence = undefined;
    for (const reflector of this.#reflectors.values()) reflector.reconnect();
    this.#checkContact();
  }

  /** Calls `onAll` when the other clusters stop waiting for this cluster. */
  #waitForFirstAnswers(): void {
    this.#later(this.#goesOnAt - systemTime.now(), () => {
      this.#options.onAll();
      if (!this.settled) this.#waitForFirstAnswers();
    });
  }

  /** Calls `report` after a delay, for changes that only depend on time. */
  #later(milliseconds: number, report = () => this.#options.onAll()): void {
    // A timer may fire a fraction of a millisecond early.
    const timer = setTimeout(report, milliseconds + 10);
    timer.unref();
    this.#stop.signal.addEventListener("abort", () => clearTimeout(timer));
  }

  async #probe(): Promise<void> {
    const { signal } = this.#stop;
    let wait = schemaRetryMs;
    try {
      const isAbsent = this.#imports.state.kind === "absent";
      const served = isAbsent ? "absent" : await servedImport(this.#options.client, signal);
      if (signal.aborted) return;
      // A new kind is served a moment before its schema is.
      const isKnown = isAbsent || served !== "absent";
      if (isKnown) wait = schemaIntervalMs;
      const isNews = served !== this.#served || isKnown !== this.#servedIsKnown;
      this.#served = served;
      this.#servedIsKnown = isKnown;
      if (isNews) this.#options.onAll();
    } catch (error) {
      if (signal.aborted) return;
      this.#options.onProblem("imports", messageOf(error));
    }
    clearTimeout(this.#schemaTimer);
    this.#schemaTimer = setTimeout(() => void this.#probe(), wait);
    this.#schemaTimer.unref();
  }

  #namespaceChanged(namespace: string): void {
    if (namespace === "kube-system") this.#options.onAll();
    else this.#options.onNamespace(namespace);
  }

  #poolChanged(change: Change<PoolObject>): void {
    const { key } = change;
    const before = change.type === "added" ? undefined : change.previous;
    const after = change.type === "deleted" ? undefined : change.object;
    const picker = after?.picker;
    const [namespace = ""] = key.split("/");
    this.#poolsOfServices.set(key, picker === undefined ? [] : [`${namespace}/${picker.name}`]);
    this.#options.onName(key);
    if (isExport(before) === isExport(after)) return;
    this.#beyond = undefined;
    // Another pool may be within the limit now, or beyond it.
    if (this.#pools.objects.size > this.#options.maxExports()) this.#options.onAll();
  }

  #serviceChanged(service: string): void {
    this.#report(this.#poolsOfServices.referrersOf(service));
  }

  #report(pools: Iterable<string>): void {
    for (const pool of pools) this.#options.onName(pool);
  }
}
