import type { KubernetesClient } from "../../../kubernetes/api/client.ts";
import type { ReflectorTiming } from "../../../kubernetes/cache/reflect-kind.ts";
import { WorkQueue } from "../../../kubernetes/control/work-queue.ts";
import { desired } from "../../../sdk/multi-cluster/desired.ts";
import { exportRequest } from "../../../sdk/multi-cluster/export-request.ts";
import {
  exportDenial,
  type MemberPolicy,
  openPolicy,
} from "../../../sdk/multi-cluster/member-policy.ts";
import type { MultiClusterOptions, NameView } from "../../../sdk/multi-cluster/view.ts";
import type { Log } from "../../manager/log.ts";
import { EstablishedIdentities } from "./established-identities.ts";
import type { HeartbeatTiming } from "./heartbeat.ts";
import { Member } from "./member.ts";
import type { MemberLimits } from "./member-limits.ts";
import { type MeasuredMember, MultiClusterMetrics } from "./metrics.ts";
import { sameClusters } from "./same-cluster.ts";

export interface MultiClusterControllerOptions extends MultiClusterOptions {
  readonly log: Log;
  /** Current time, in ms since 1970. Default `Date.now`. */
  readonly now?: () => number;
  /** Whether this process holds the Lease, checked before each write. Default: the last value passed to `lead`. */
  readonly isLeader?: () => boolean;
  /** Time after which a lost member is unreachable, in ms. Default 30,000. */
  readonly unreachableAfterMs?: number;
  readonly timing?: ReflectorTiming;
  readonly heartbeat?: HeartbeatTiming | undefined;
}

/** A cluster of the set, under the name that users give it. */
export interface MemberConnection {
  readonly name: string;
  readonly client: Pick<KubernetesClient, "request" | "watch">;
  /** Server and CA of its kubeconfig, by which the hub identifies the member, regardless of the reported uid. */
  readonly server?: { readonly url: string; readonly ca: string | undefined };
  /** Limits on the data read from the member. Default: the defaults of the flags. */
  readonly limits?: MemberLimits;
  /** Rights of the member in the set. Default: it may export all names that are not granted to another member. */
  readonly policy?: MemberPolicy;
}

/** Time for which changes of one name are collected, in ms. */
const windowMs = 50;
/** Time for which changes of all names are collected, in ms. */
const windowOfAllMs = 100;
/** Maximum time for cleaning up a member that leaves, in addition to the drain time, in ms. Remaining objects stay. */
const leavesWithinMs = 60_000;

/**
 * Controller of a cluster set: imports the pools that a member exports into the other members (Multi-Cluster Inference
 * proposal). It plans the writes of each name from the state of all members. Each member has its own write queue, so
 * that a member that hangs does not delay the other members.
 */
export class MultiClusterController {
  readonly #options: MultiClusterControllerOptions;
  readonly #members = new Map<string, Member>();
  #refused: ReadonlyMap<string, string> = new Map();
  #doubtful: ReadonlyMap<string, string> = new Map();
  /** Whether the members' identities have been compared since the last change. */
  #isJudged = false;
  readonly #policies = new Map<string, MemberPolicy>();
  readonly #servers = new Map<string, MemberConnection["server"]>();
  readonly #established = new EstablishedIdentities();
  /** Members that joined after the other members had been read. */
  readonly #late = new Set<string>();
  readonly #plans: WorkQueue;
  readonly metrics: MultiClusterMetrics;
  readonly #full = new Set<string>();
  #leading = false;
  #fence = new AbortController();
  #settled = false;
  #allTimer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(options: MultiClusterControllerOptions) {
    this.#options = options;
    this.#fence.abort(new Error("this process is not the leader"));
    this.#plans = new WorkQueue({
      work: async (key) => this.#dispatch(key),
      onError: (key, error) => options.log.error("not planned", error, { name: key }),
    });
    this.metrics = new MultiClusterMetrics(() => ({
      leading: this.#leading,
      planned: this.#plans.length,
      members: this.#measured(),
    }));
  }

  /** Adds a member and starts to follow it. Throws if the set has a member of that name. */
  join({ name, client, server, limits, policy = openPolicy }: MemberConnection): void {
    if (this.#members.has(name)) throw new Error(`member ${name}: is already in the set`);
    const { log, controllerName, unreachableAfterMs, timing, heartbeat } = this.#options;
    this.#policies.set(name, policy);
    this.#servers.set(name, server);
    if (this.#settled) this.#late.add(name);
    const member = new Member({
      ...{ name, client, log, controllerName, metrics: this.metrics },
      ...(unreachableAfterMs !== undefined && { unreachableAfterMs }),
      ...(timing && { timing }),
      heartbeat,
      ...(limits && { limits }),
      policy: () => this.#policies.get(name) ?? openPolicy,
      denial: (namespace, pool) => exportDenial(this.#policies, name, namespace, pool),
      mayWrite: () => this.#mayWrite(),
      plan: (key) => this.#plan(key, name).writes.get(name) ?? [],
      onName: (key) => this.#enqueue(key),
      onNamespace: (namespace) => this.#checkNamespace(namespace),
      onAll: () => this.#enqueueAll(),
    });
    this.#members.set(name, member);
    log.info("member joins", { member: name });
    member.write(this.#leading);
    member.start();
  }

  /** Removes this controller's objects and entries from the member, if it is reachable, and stops following it. */
  async leave(name: string): Promise<void> {
    const member = this.#members.get(name);
    if (member === undefined) return;
    this.#options.log.info("member leaves", { member: name });
    member.role = "leaving";
    this.#enqueueAll();
    const ends = Date.now() + leavesWithinMs + this.#options.drainMs;
    while (!this.#stopped && this.#leading && Date.now() < ends && this.#hasLeftovers(member))
      await new Promise((resolve) => setTimeout(resolve, 100));
    await member.stop();
    this.#members.delete(name);
    this.#policies.delete(name);
    this.#servers.delete(name);
    this.#late.delete(name);
    this.#options.log.info("member left", { member: name });
    this.#enqueueAll();
  }

  /** Changes the rights of a member in the set. */
  allow(name: string, policy: MemberPolicy): void {
    if (!this.#members.has(name)) return;
    this.#policies.set(name, policy);
    this.#members.get(name)?.followed.recount();
    this.#enqueueAll();
  }

  /** Members by name, including leaving ones. */
  get members(): ReadonlyMap<string, Member> {
    return this.#members;
  }

  /** Whether this process writes. */
  get leading(): boolean {
    return this.#leading;
  }

  /** Whether every member was read once or cannot be read. */
  get settled(): boolean {
    return this.#settled;
  }

  /** Identities of the members as JSON, for later leaders. */
  get identities(): string {
    return this.#established.text;
  }

  /** Loads the identities that an earlier leader stored. */
  remember(identities: string | undefined): void {
    if (identities === this.#established.text) return;
    try {
      this.#established.read(identities);
    } catch (error) {
      this.#options.log.error("identities of members not read", error);
      return;
    }
    this.#rejectDuplicates();
  }

  /** Starts or stops writing. Stopping aborts the writes in progress. */
  lead(leading: boolean): void {
    if (leading === this.#leading) return;
    this.#leading = leading;
    if (leading) this.#fence = new AbortController();
    else this.#fence.abort(new Error("this process is no longer the leader"));
    this.#enqueueAll();
    if (leading) this.#plans.start();
    else void this.#plans.pause();
    for (const member of this.#members.values()) member.write(leading);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#leading = false;
    this.#fence.abort(new Error("stopped"));
    clearTimeout(this.#allTimer);
    await Promise.all([this.#plans.stop(), ...[...this.#members.values()].map((m) => m.stop())]);
  }

  /**
   * Returns the state of a name in all members that are not refused. Compares identities first, so that a member with
   * another member's uid never counts.
   */
  view(key: string): NameView {
    this.#judge();
    const [namespace = "", name = ""] = key.split("/");
    const members = [...this.#members.values()].filter(({ name }) => !this.#refused.has(name));
    return {
      namespace,
      name,
      members: members.map((member) => ({
        ...member.view(namespace, name),
        joinedLate: this.#late.has(member.name),
      })),
    };
  }

  /** Names of all pools and imports in the members. */
  names(): Set<string> {
    const names = new Set<string>();
    for (const { followed } of this.#members.values())
      for (const name of followed.names()) names.add(name);
    return names;
  }

  /** Reason why a member is refused, such as another member with the same cluster; undefined if it is accepted. */
  refusal(name: string): string | undefined {
    return this.#refused.get(name);
  }

  /** Reason why a member's identity is in doubt; undefined if it is not. */
  doubt(name: string): string | undefined {
    return this.#doubtful.get(name);
  }

  /** Returns the signal that aborts a write. A suspended process may have lost the Lease without knowing it. */
  #mayWrite(): AbortSignal {
    const { isLeader = () => true } = this.#options;
    return isLeader() ? this.#fence.signal : AbortSignal.abort(new Error("the Lease has expired"));
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }

  #plan(key: string, member?: string) {
    return desired(this.view(key), this.#options, this.#now(), member);
  }

  /** Plans a name, and queues it in each member that needs a write. */
  #dispatch(key: string): void {
    if (!this.#settled) return;
    const { writes, again, full } = this.#plan(key);
    for (const member of writes.keys()) this.#members.get(member)?.add(key);
    if (again !== undefined) this.#plans.add(key, Math.max(1, again - this.#now()));
    for (const member of full) this.#warnStatusFull(member, key);
  }

  #warnStatusFull(member: string, key: string): void {
    const at = `${member} ${key}`;
    if (this.#full.has(at)) return;
    this.#full.add(at);
    this.#options.log.warn("status.parents of the pool is full; the pool is exported anyway", {
      member,
      pool: key,
    });
  }

  #enqueue(key: string): void {
    if (this.#settled) this.#plans.add(key, windowMs);
  }

  #checkNamespace(namespace: string): void {
    if (!this.#settled) return;
    for (const key of this.names()) if (key.startsWith(`${namespace}/`)) this.#enqueue(key);
  }

  #enqueueAll(): void {
    this.#isJudged = false;
    if (this.#stopped) return;
    this.#allTimer ??= setTimeout(() => {
      this.#allTimer = undefined;
      this.#judge();
      this.#settle();
      if (!this.#settled) return;
      for (const key of this.names()) this.#plans.add(key);
    }, windowOfAllMs).unref();
  }

  #settle(): void {
    if (this.#settled) return;
    this.#settled = [...this.#members.values()].every(({ followed }) => followed.settled);
    if (!this.#settled) return;
    this.#options.log.info("members read", { members: [...this.#members.keys()] });
  }

  /** Compares the members' identities if anything changed. */
  #judge(): void {
    if (!this.#isJudged) this.#rejectDuplicates();
  }

  #rejectDuplicates(): void {
    this.#isJudged = true;
    const { log } = this.#options;
    const claimants = [...this.#members.values()].map(({ name, followed, hasChanged }) => {
      const server = this.#servers.get(name);
      return {
        ...{ name, server: server?.url, ca: server?.ca, identity: followed.identity },
        pinned: this.#policies.get(name)?.uid,
        established: this.#established.of(name),
        isLate: hasChanged || this.#late.has(name),
      };
    });
    const { refused, doubtful } = sameClusters(claimants);
    if (this.#leading) {
      for (const { name, identity, established } of claimants)
        if (established !== undefined && identity !== undefined && identity !== established)
          log.error("the member is now another cluster than before", undefined, {
            ...{ member: name, before: established, now: identity },
          });
      this.#established.settle(claimants, { refused, doubtful });
    }
    for (const [member, message] of refused)
      if (this.#refused.get(member) !== message)
        log.error("member refused", new Error(message), { member });
    for (const [member, message] of doubtful)
      if (this.#doubtful.get(member) !== message)
        log.error("member in doubt", new Error(message), { member });
    this.#refused = refused;
    this.#doubtful = doubtful;
  }

  /** Whether a leaving member still has objects or entries of this controller. */
  #hasLeftovers(member: Member): boolean {
    if (member.followed.contact !== "current" || this.#refused.has(member.name)) return false;
    for (const key of member.followed.names()) {
      const { writes, again } = this.#plan(key);
      if (again !== undefined || (writes.get(member.name)?.length ?? 0) > 0) return true;
    }
    return false;
  }

  *#measured(): Iterable<MeasuredMember> {
    for (const member of this.#members.values()) {
      const { name, followed, queued, role } = member;
      let exports = 0;
      let imports = 0;
      for (const key of new Set(followed.names())) {
        const [namespace = "", pool = ""] = key.split("/");
        const view = followed.view(namespace, pool);
        if (exportRequest(view.pool).kind === "exported") exports += 1;
        if ((view.import?.entry?.exporters.length ?? 0) > 0) imports += 1;
      }
      const state = this.#refused.has(name)
        ? "refused"
        : role === "leaving"
          ? role
          : followed.contact;
      yield { name, state, queued, silenceMs: followed.silenceMs ?? 0, exports, imports };
    }
  }
}
