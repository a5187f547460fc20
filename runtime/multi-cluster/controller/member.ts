import { ApiError } from "../../../kubernetes/api/api-error.ts";
import type { KubernetesClient } from "../../../kubernetes/api/client.ts";
import type { ReflectorTiming } from "../../../kubernetes/cache/reflect-kind.ts";
import { systemTime } from "../../../kubernetes/control/time.ts";
import { WorkQueue } from "../../../kubernetes/control/work-queue.ts";
import { kinds } from "../../../kubernetes/kinds/index.ts";
import { objectPath } from "../../../kubernetes/paths.ts";
import { type MemberPolicy, mostExports } from "../../../sdk/multi-cluster/member-policy.ts";
import { isUnread, type MemberView } from "../../../sdk/multi-cluster/view.ts";
import type { Write } from "../../../sdk/multi-cluster/writes.ts";
import type { Log } from "../../manager/log.ts";
import { ContentionGuard } from "./contention.ts";
import type { HeartbeatTiming } from "./heartbeat.ts";
import type { MemberLimits } from "./member-limits.ts";
import { MemberWriter } from "./member-writer.ts";
import type { MultiClusterMetrics } from "./metrics.ts";
import { RemoteCluster } from "./remote-cluster.ts";

export interface MemberOptions {
  readonly name: string;
  readonly client: Pick<KubernetesClient, "request" | "watch">;
  readonly controllerName: string;
  readonly log: Log;
  readonly metrics: MultiClusterMetrics;
  /** Rights of the member in the set, which may change. */
  readonly policy: () => MemberPolicy;
  /** Returns why the policies of all members forbid it to export a name; undefined if they allow it. */
  readonly denial: (namespace: string, name: string) => string | undefined;
  /** Limits on the data read from the member. Default: the defaults of the flags. */
  readonly limits?: MemberLimits;
  readonly mayWrite: () => AbortSignal;
  /** Returns the next writes that the member needs for a name. */
  readonly plan: (key: string) => readonly Write[];
  /** Called with a name that has changed. */
  readonly onName: (key: string) => void;
  readonly onNamespace: (namespace: string) => void;
  readonly onAll: () => void;
  readonly unreachableAfterMs?: number;
  readonly timing?: ReflectorTiming;
  readonly heartbeat?: HeartbeatTiming | undefined;
}

/** Retry delay of a name after a write conflict, in ms. Usually the event of the other write arrives sooner. */
const afterConflictMs = 1_000;
/** Retry delays of a name whose writes fail. */
const backOff = { firstMs: 1_000, longestMs: 30_000 };
/** Maximum rounds of writes for one name in a row: an import, its status and its annotation, and some repeats. */
const mostSteps = 8;

/** A cluster of a set, with its state and its own write queue, so that no member waits for another one. */
export class Member {
  readonly name: string;
  readonly #options: MemberOptions;
  readonly #queue: WorkQueue;
  readonly #writer: MemberWriter;
  readonly #guard = new ContentionGuard(systemTime.now);
  readonly #failures = new Map<string, string>();
  #followed: RemoteCluster;
  #identity: string | undefined;
  #wasLost = false;
  #hasChanged = false;
  #isStopped = false;
  role: MemberView["role"] = "member";

  constructor(options: MemberOptions) {
    this.name = options.name;
    this.#options = options;
    this.#writer = new MemberWriter(options);
    this.#followed = this.#follow();
    this.#queue = new WorkQueue({
      work: (key) => this.#write(key),
      onError: (key, error) => this.#failed(key, error),
      backOff,
    });
  }

  start(): void {
    this.#followed.start();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([this.#queue.stop(), this.#followed.stop()]);
  }

  /** Starts or stops writing. */
  write(isOn: boolean): void {
    if (isOn) this.#queue.start();
    else void this.#queue.pause();
  }

  /** Queues a name for a write. */
  add(key: string): void {
    this.#queue.add(key);
  }

  get queued(): number {
    return this.#queue.length;
  }

  get followed(): RemoteCluster {
    return this.#followed;
  }

  /** Whether the member has ever reported a uid that differs from its first uid. */
  get hasChanged(): boolean {
    return this.#hasChanged;
  }

  view(namespace: string, name: string): Omit<MemberView, "joinedLate"> {
    const failure = this.#failures.get(`${namespace}/${name}`);
    const { networks, maxEndpoints, labels = {} } = this.#options.policy();
    return {
      ...{ name: this.name, role: this.role, ...this.#followed.view(namespace, name), failure },
      exportDenied: this.#denial(namespace, name),
      bounds: { networks, maxEndpoints },
      labels,
    };
  }

  #denial(namespace: string, name: string): string | undefined {
    const denial = this.#options.denial(namespace, name);
    if (denial !== undefined || !this.#followed.isBeyond(`${namespace}/${name}`)) return denial;
    return `exceeds the ${this.#mostExports()} pools that ${this.name} may export, the oldest first (maxExports of the member)`;
  }

  #mostExports(): number {
    return this.#options.policy().maxExports ?? mostExports;
  }

  #follow(): RemoteCluster {
    const { log, onName, onNamespace, onAll, metrics, ...options } = this.#options;
    const followed: RemoteCluster = new RemoteCluster({
      ...options,
      maxExports: () => this.#mostExports(),
      onName,
      onNamespace,
      onAll: () => {
        if (followed === this.#followed) this.#checkIdentity();
        onAll();
      },
      onProblem: (kind, error) => log.warn("kind not read", { member: this.name, kind, error }),
    });
    return followed;
  }

  /** Reads everything again if another cluster is at the same address, because the known state does not apply to it. */
  #checkIdentity(): void {
    const { identity, contact } = this.#followed;
    if (identity !== undefined && this.#identity !== undefined && identity !== this.#identity) {
      this.#restart(identity);
      return;
    }
    this.#identity ??= identity;
    if (contact !== "current") this.#wasLost = !isUnread(this.#followed);
    else if (this.#wasLost) {
      this.#wasLost = false;
      void this.#askIdentity();
    }
  }

  /**
   * Checks the identity after an outage: the cluster may have been recreated, and a watch that continues does not show
   * it.
   */
  async #askIdentity(): Promise<void> {
    const path = objectPath(kinds.Namespace, { name: "kube-system" });
    try {
      const { metadata } = await this.#options.client.request<{ metadata: { uid: string } }>(
        "GET",
        path,
      );
      if (this.#isStopped || metadata.uid === this.#identity) return;
      this.#restart(metadata.uid);
    } catch (error) {
      this.#wasLost = true;
      this.#options.log.error("identity not read", error, { member: this.name });
    }
  }

  #restart(identity: string): void {
    this.#options.log.error(
      "the member is another cluster now; all of it is read again",
      undefined,
      {
        member: this.name,
        before: this.#identity,
        now: identity,
      },
    );
    this.#identity = identity;
    this.#hasChanged = true;
    this.#failures.clear();
    void this.#followed.stop();
    this.#followed = this.#follow();
    if (!this.#isStopped) this.#followed.start();
    this.#options.onAll();
  }

  async #write(key: string): Promise<void> {
    const [namespace = "", name = ""] = key.split("/");
    for (let step = 0; step < mostSteps; step += 1) {
      const writes = this.#options.plan(key).filter((write) => !this.#mustWait(key, write));
      if (writes.length === 0) break;
      for (const write of writes)
        if ((await this.#writeOne(key, namespace, name, write)) === "again") {
          this.#queue.add(key, afterConflictMs);
          return;
        }
    }
    if (this.#failures.delete(key)) this.#options.onName(key);
  }

  /** Returns `again` if the write conflicted with another one. */
  async #writeOne(
    key: string,
    namespace: string,
    name: string,
    write: Write,
  ): Promise<"done" | "again"> {
    const { metrics, onName } = this.#options;
    const started = systemTime.now();
    const isNew = write.kind === "write-parents" && !this.#hasEntry(namespace, name);
    try {
      await this.#writer.write(this.#followed, namespace, name, write);
    } catch (error) {
      const isLate = error instanceof ApiError && (error.status === 409 || error.status === 404);
      metrics.wrote(
        this.name,
        write.kind,
        isLate ? "conflict" : "failed",
        systemTime.now() - started,
      );
      if (!isLate) throw error;
      return "again";
    }
    metrics.wrote(this.name, write.kind, "done", systemTime.now() - started);
    if (write.kind === "write-parents") this.#recordEntry(key, namespace, name, isNew);
    onName(key);
    return "done";
  }

  #hasEntry(namespace: string, name: string): boolean {
    const { controllerName } = this.#options;
    const pool = this.#followed.view(namespace, name).pool;
    return pool?.parents.some((parent) => parent.controllerName === controllerName) ?? false;
  }

  #recordEntry(key: string, namespace: string, name: string, wasNew: boolean): void {
    if (!this.#hasEntry(namespace, name)) this.#guard.removed(key);
    else if (wasNew && this.#guard.added(key)) {
      const seconds = Math.round(this.#guard.wait(key) / 1000);
      const fields = { member: this.name, pool: key, seconds };
      this.#options.log.warn("another controller removes the entry from the pool's status", fields);
      this.#options.metrics.contended(this.name);
    }
  }

  #mustWait(key: string, write: Write): boolean {
    if (write.kind !== "write-parents") return false;
    const [namespace = "", name = ""] = key.split("/");
    if (this.#hasEntry(namespace, name)) return false;
    const wait = this.#guard.wait(key);
    if (wait > 0) this.#queue.add(key, wait);
    return wait > 0;
  }

  #failed(key: string, error: unknown): void {
    if (this.#options.mayWrite().aborted) return;
    const message = error instanceof ApiError ? error.message : "a write got no response";
    this.#options.log.error("not written", error, { member: this.name, name: key });
    if (error instanceof ApiError && error.status >= 400) this.#followed.probe();
    if (this.#failures.get(key) === message) return;
    this.#failures.set(key, message);
    this.#options.onName(key);
  }
}
