import { setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "./api-error.ts";
import type { KubernetesClient } from "./client.ts";

export interface LeaderElectionOptions {
  readonly client: KubernetesClient;
  readonly namespace: string;
  /** Name of the Lease. */
  readonly name: string;
  /** Who this is; no other process may use the same. */
  readonly identity: string;
  readonly onChange?: (leading: boolean) => void;
  readonly onProblem?: (message: string) => void;
  readonly timing?: Partial<LeaseTiming>;
  /** Wall clock of the times in the Lease, milliseconds. Default Date.now. */
  readonly now?: () => number;
}

/** In milliseconds; the defaults are those of Kubernetes' own components. */
export interface LeaseTiming {
  /** A lease that was not renewed for so long is free. Default 15,000. */
  readonly lease: number;
  /** A leader that could not renew for so long steps down. Default 10,000. */
  readonly renew: number;
  /** Between tries. Default 2,000. */
  readonly retry: number;
}

/** A Lease, coordination.k8s.io/v1. */
interface Lease {
  readonly apiVersion: "coordination.k8s.io/v1";
  readonly kind: "Lease";
  readonly metadata: { name: string; namespace: string; resourceVersion?: string };
  readonly spec: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
  };
}

/**
 * One of several processes leads: the holder of a Lease. Whether another's lease has run out is told by the time since
 * it was last seen to change, so that clocks of machines need not agree.
 */
export class LeaderElection {
  readonly #options: LeaderElectionOptions;
  readonly #timing: LeaseTiming;
  readonly #abort = new AbortController();
  #leading = false;
  #renewedAt = 0;
  #seen: { readonly lease: string; readonly at: number } = { lease: "", at: 0 };
  #running: Promise<void> | undefined;

  constructor(options: LeaderElectionOptions) {
    this.#options = options;
    this.#timing = { lease: 15_000, renew: 10_000, retry: 2_000, ...options.timing };
  }

  isLeader(): boolean {
    return this.#leading;
  }

  start(): void {
    if (this.#running !== undefined) throw new Error("the election runs already");
    this.#running = this.#run();
  }

  /** Stops, and frees the lease for the next. */
  async release(): Promise<void> {
    this.#abort.abort(new Error("stopped"));
    await this.#running;
    if (!this.#leading) return;
    this.#become(false);
    try {
      const lease = await this.#read();
      if (lease?.spec.holderIdentity !== this.#options.identity) return;
      await this.#write({ ...lease, spec: { ...lease.spec, holderIdentity: "" } });
    } catch (error) {
      this.#options.onProblem?.(`the lease was not released: ${(error as Error).message}`);
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    while (!signal.aborted) {
      try {
        await this.#try();
      } catch (error) {
        if (!signal.aborted) this.#options.onProblem?.((error as Error).message);
      }
      if (this.#leading && performance.now() - this.#renewedAt > this.#timing.renew)
        this.#become(false);
      await sleep(this.#timing.retry, undefined, { signal }).catch(() => {});
    }
  }

  /** Takes the lease if it is ours or free. */
  async #try(): Promise<void> {
    const { identity, now = Date.now } = this.#options;
    const started = performance.now();
    const lease = await this.#read();
    if (lease !== undefined && !this.#isFree(lease)) {
      this.#become(false);
      return;
    }
    const held = lease?.spec.holderIdentity === identity;
    const time = new Date(now()).toISOString().replace("Z", "000Z");
    const spec: Lease["spec"] = {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(this.#timing.lease / 1000),
      acquireTime: held ? (lease?.spec.acquireTime ?? time) : time,
      renewTime: time,
      leaseTransitions: (lease?.spec.leaseTransitions ?? -1) + (held ? 0 : 1),
    };
    await this.#write({ ...(lease ?? this.#empty()), spec });
    this.#renewedAt = started;
    this.#become(true);
  }

  #isFree({ spec }: Lease): boolean {
    const { identity } = this.#options;
    if (!spec.holderIdentity || spec.holderIdentity === identity) return true;
    const text = JSON.stringify(spec);
    if (text !== this.#seen.lease) this.#seen = { lease: text, at: performance.now() };
    const life = (spec.leaseDurationSeconds ?? 0) * 1000 || this.#timing.lease;
    return performance.now() - this.#seen.at > life;
  }

  #empty(): Lease {
    const { name, namespace } = this.#options;
    return {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name, namespace },
      spec: {},
    };
  }

  get #collection(): string {
    return `/apis/coordination.k8s.io/v1/namespaces/${this.#options.namespace}/leases`;
  }

  async #read(): Promise<Lease | undefined> {
    try {
      return await this.#options.client.request<Lease>(
        "GET",
        `${this.#collection}/${this.#options.name}`,
        { timeout: this.#timing.renew },
      );
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    }
  }

  /** The version in the object lets only one of two who write at once win. */
  async #write(lease: Lease): Promise<void> {
    const isNew = lease.metadata.resourceVersion === undefined;
    const path = isNew ? this.#collection : `${this.#collection}/${this.#options.name}`;
    const parameters = { body: lease, timeout: this.#timing.renew };
    await this.#options.client.request(isNew ? "POST" : "PUT", path, parameters);
  }

  #become(leading: boolean): void {
    if (leading === this.#leading) return;
    this.#leading = leading;
    this.#options.onChange?.(leading);
  }
}
