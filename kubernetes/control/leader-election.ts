import { ApiError } from "../api/api-error.ts";
import type { KubernetesClient, Method } from "../api/client.ts";
import { unplanned } from "../kinds/unplanned.ts";
import { collectionPath, objectPath } from "../paths.ts";
import { messageOf } from "../values/records.ts";
import { systemTime, type Time } from "./time.ts";

export interface LeaderElectionOptions {
  readonly client: Pick<KubernetesClient, "request">;
  readonly namespace: string;
  readonly name: string;
  /** Identity of this process, which no other process may use. */
  readonly identity: string;
  readonly onChange?: (leading: boolean) => void;
  /** Called if the lease could not be read or written, which is then retried. */
  readonly onProblem?: (message: string) => void;
  /** Data that leaders keep for their successors, in an annotation of the Lease. */
  readonly note?: LeaseNote;
  readonly timing?: Partial<LeaseTiming>;
  readonly time?: Time;
  /** Wall clock for the times in the Lease, in ms since 1970. Default Date.now. */
  readonly wallClock?: () => number;
}

/** A string that the leader writes with each renewal, and that the standbys read. */
export interface LeaseNote {
  readonly annotation: string;
  /** Receives the string of another leader, before this process leads. */
  readonly read: (text: string | undefined) => void;
  readonly text: () => string;
}

/** Times in ms. The defaults equal those in Kubernetes' own components. */
export interface LeaseTiming {
  /** Time without a renewal after which a lease is free. Default 15,000. */
  readonly leaseMs: number;
  /** Time without a renewal after which a leader steps down. Default 10,000. */
  readonly renewMs: number;
  /** Wait between tries. Default 2,000. */
  readonly retryMs: number;
}

/** A Lease, coordination.k8s.io/v1. */
interface Lease {
  readonly apiVersion: string;
  readonly kind: "Lease";
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly resourceVersion?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
  };
}

/**
 * Elects one of several processes as the leader: the holder of a Lease. A lease has expired when a process has not
 * seen it change for the lease duration, so the clocks of machines do not have to agree. A leader that cannot renew
 * steps down before another process may take over.
 */
export class LeaderElection {
  readonly #options: LeaderElectionOptions;
  readonly #timing: LeaseTiming;
  readonly #time: Time;
  readonly #stop = new AbortController();
  #leading = false;
  #renewedAt = 0;
  /** The lease of another holder as it was last read, and the time since which it is unchanged. */
  #seen = { lease: "", at: 0 };
  #running: Promise<void> | undefined;

  constructor(options: LeaderElectionOptions) {
    this.#options = options;
    this.#timing = { leaseMs: 15_000, renewMs: 10_000, retryMs: 2_000, ...options.timing };
    this.#time = options.time ?? systemTime;
  }

  isLeader(): boolean {
    return this.#leading && this.#untilDeadline() > 0;
  }

  /** Throws if it is called twice. */
  start(): void {
    if (this.#running !== undefined)
      throw new Error(`leader election with lease ${this.#options.name} was already started`);
    this.#running = this.#run();
  }

  /** Stops, and releases the lease. */
  async release(): Promise<void> {
    if (this.#running === undefined || this.#stop.signal.aborted) return;
    this.#stop.abort(new Error("stopped"));
    await this.#running;
    const led = this.#leading;
    this.#become(false);
    try {
      // An aborted write may have acquired the lease anyway.
      const lease = await this.#read(this.#timing.retryMs);
      if (lease?.spec.holderIdentity === this.#options.identity)
        await this.#write(freed(lease, this.#stamp()), this.#timing.retryMs);
    } catch (error) {
      if (led) this.#options.onProblem?.(`not released: ${messageOf(error)}`);
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await this.#try(signal);
      } catch (error) {
        if (!signal.aborted) this.#options.onProblem?.(messageOf(error));
      }
      if (this.#leading && this.#untilDeadline() <= 0) this.#become(false);
      await this.#time.sleep(this.#pause(), signal);
    }
  }

  /** Standbys wait for random times; a leader retries before its deadline. */
  #pause(): number {
    const { retryMs } = this.#timing;
    return this.#leading
      ? Math.max(1, Math.min(retryMs, this.#untilDeadline()))
      : retryMs * (1 + this.#time.random() / 5);
  }

  /** Returns the time until the leader must step down, in ms. */
  #untilDeadline(): number {
    return this.#renewedAt + this.#timing.renewMs - this.#time.now();
  }

  /** Acquires or renews the lease if this process holds it or it is free. */
  async #try(signal: AbortSignal): Promise<void> {
    const startedAt = this.#time.now();
    const timeout = () => Math.max(1, this.#leading ? this.#untilDeadline() : this.#timing.renewMs);
    const lease = await this.#read(timeout(), signal);
    const { note } = this.#options;
    if (note && !this.#leading) note.read(lease?.metadata.annotations?.[note.annotation]);
    const won =
      (lease === undefined || this.#isFree(lease)) &&
      (await this.#write(this.#held(lease), timeout(), signal));
    if (signal.aborted) return;
    if (won) this.#renewedAt = startedAt;
    this.#become(won);
  }

  #isFree({ spec }: Lease): boolean {
    if (!spec.holderIdentity || spec.holderIdentity === this.#options.identity) return true;
    const now = this.#time.now();
    const lease = JSON.stringify(spec);
    if (lease !== this.#seen.lease) this.#seen = { lease, at: now };
    const life = (spec.leaseDurationSeconds ?? 0) * 1000 || this.#timing.leaseMs;
    return now - this.#seen.at > life;
  }

  /** Returns the lease as its holder writes it. */
  #held(lease: Lease | undefined): Lease {
    const { name, namespace, identity, note } = this.#options;
    const { metadata = { name, namespace } } = lease ?? {};
    const before = lease?.spec ?? {};
    const again = before.holderIdentity === identity;
    const time = this.#stamp();
    return {
      apiVersion: unplanned.Lease.apiVersion,
      kind: unplanned.Lease.kind,
      metadata: note
        ? { ...metadata, annotations: { ...metadata.annotations, [note.annotation]: note.text() } }
        : metadata,
      spec: {
        holderIdentity: identity,
        leaseDurationSeconds: Math.ceil(this.#timing.leaseMs / 1000),
        acquireTime: again ? (before.acquireTime ?? time) : time,
        renewTime: time,
        leaseTransitions:
          lease === undefined ? 0 : (before.leaseTransitions ?? 0) + (again ? 0 : 1),
      },
    };
  }

  /** Returns the present time with microseconds, as the API server requires. */
  #stamp(): string {
    const { wallClock = Date.now } = this.#options;
    return new Date(wallClock()).toISOString().replace("Z", "000Z");
  }

  #read(timeout: number, signal?: AbortSignal): Promise<Lease | undefined> {
    return this.#request<Lease>("GET", this.#options.name, 404, { timeout, signal });
  }

  /**
   * Returns whether the write succeeded. If two processes write concurrently, the version in the object lets one win.
   */
  async #write(lease: Lease, timeout: number, signal?: AbortSignal): Promise<boolean> {
    const isNew = lease.metadata.resourceVersion === undefined;
    const options = { body: lease, timeout, signal };
    const written = isNew
      ? await this.#request("POST", "", 409, options)
      : await this.#request("PUT", this.#options.name, 409, options);
    return written !== undefined;
  }

  /** Sends a request. Returns undefined for a response with the expected status. */
  async #request<T>(
    method: Method,
    name: string,
    expected: number,
    options: { body?: Lease; timeout: number; signal: AbortSignal | undefined },
  ): Promise<T | undefined> {
    const { namespace } = this.#options;
    const { signal, ...rest } = options;
    try {
      return await this.#options.client.request<T>(
        method,
        name === ""
          ? collectionPath(unplanned.Lease, namespace)
          : objectPath(unplanned.Lease, { namespace, name }),
        { ...rest, ...(signal && { signal }) },
      );
    } catch (error) {
      if (error instanceof ApiError && error.status === expected) return undefined;
      throw error;
    }
  }

  #become(leading: boolean): void {
    if (leading === this.#leading) return;
    this.#leading = leading;
    this.#options.onChange?.(leading);
  }
}

/** Returns a lease that any process may acquire immediately. */
const freed = (lease: Lease, time: string): Lease => ({
  ...lease,
  spec: { ...lease.spec, holderIdentity: "", leaseDurationSeconds: 1, renewTime: time },
});
