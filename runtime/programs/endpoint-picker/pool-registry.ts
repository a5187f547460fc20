import type { ServerCredentials } from "@grpc/grpc-js";
import { messageOf } from "../../../kubernetes/values/records.ts";
import { sharedPorts } from "../../../sdk/routing/picker-ports.ts";
import { systemClock } from "../../epp/clock.ts";
import type { PoolObjects } from "../../epp/datastore/pool-objects.ts";
import type { SharedPoolObject } from "../../epp/sources/read-shared-pool.ts";
import type { SharedPool } from "../../epp/sources/shared-pools-source.ts";
import type { Log } from "../../manager/log.ts";
import type { PoolPicker } from "./pool-picker.ts";
import { PoolPort } from "./pool-port.ts";

export interface PoolRegistryOptions {
  /** Puts together what picks for a pool. */
  newPicker(pool: SharedPool, isIdle: () => boolean): Promise<PoolPicker>;
  readonly credentials: ServerCredentials;
  /** Ports of the process that no pool can have. */
  readonly ownPorts: ReadonlySet<number>;
  /** Milliseconds for which the port of a pool that left is still served, while proxies learn of it. */
  readonly drainMs: number;
  /** Milliseconds for which answers that run may then go on. */
  readonly answersMs: number;
  readonly log: Log;
}

/** Milliseconds after its last request from which a pool is idle. */
const idleAfterMs = 5_000;

/** A pool that is picked for. */
interface Served {
  readonly name: string;
  readonly port: PoolPort;
  readonly picker: PoolPicker;
  /** What its picker was put together from. */
  readonly madeOf: SharedPoolObject;
  notified: PoolObjects;
}

/**
 * The pools that a process picks for, each at a port of its own. A pool that comes gets a port; one whose configuration
 * changed a new picker at the same port; one that leaves is served on for a while. No stream ends before its time.
 */
export class PoolRegistry {
  readonly #options: PoolRegistryOptions;
  readonly #byPort = new Map<number, Served>();
  readonly #leaving = new Map<number, { served: Served; timer: NodeJS.Timeout }>();
  readonly #closing = new Set<Promise<void>>();
  #refused: ReadonlyMap<string, string> = new Map();
  #wanted: readonly SharedPool[] = [];
  #replicas = 1;
  #working: Promise<void> | undefined;
  #again = false;
  #isStopped = false;

  constructor(options: PoolRegistryOptions) {
    this.#options = options;
  }

  /** By the name of the pool. */
  get pickers(): ReadonlyMap<string, PoolPicker> {
    return new Map([...this.#byPort.values()].map(({ name, picker }) => [name, picker]));
  }

  /** Why a pool is not served, by its name. */
  get refused(): ReadonlyMap<string, string> {
    return this.#refused;
  }

  get openStreams(): number {
    const leaving = [...this.#leaving.values()].map(({ served }) => served);
    return [...this.#byPort.values(), ...leaving].reduce(
      (sum, { picker }) => sum + picker.service.openStreams(),
      0,
    );
  }

  /** So many replicas of the process take requests. */
  share(replicas: number): void {
    this.#replicas = replicas;
    for (const { picker } of this.#byPort.values()) picker.share(replicas);
  }

  /** These are the pools from now on. Resolves when they are served. */
  update(pools: readonly SharedPool[]): Promise<void> {
    this.#wanted = pools;
    this.#again = true;
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
    return this.#working;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#working;
    const { answersMs } = this.#options;
    const all = [...this.#byPort.values()];
    for (const { served, timer } of this.#leaving.values()) {
      clearTimeout(timer);
      all.push(served);
    }
    this.#byPort.clear();
    this.#leaving.clear();
    await Promise.all([...all.map((served) => close(served, answersMs)), ...this.#closing]);
  }

  /** One change after the other: a port that is being opened is not opened twice. */
  async #work(): Promise<void> {
    while (this.#again && !this.#isStopped) {
      this.#again = false;
      await this.#reconcile();
    }
  }

  async #reconcile(): Promise<void> {
    const { served, refused } = sharedPorts(this.#wanted, this.#options.ownPorts);
    const problems = new Map(refused);
    for (const [port, { name }] of this.#byPort)
      if (served.get(port)?.pool.name !== name) this.#leave(port);
    for (const [port, pool] of served) {
      try {
        await this.#serve(port, pool);
      } catch (error) {
        problems.set(pool.pool.name, messageOf(error));
        // Its picker goes on by the configuration from before.
        const before = this.#byPort.get(port);
        if (before !== undefined) this.#notify(before, pool.objects);
      }
    }
    this.#reportRefused(problems);
  }

  async #serve(port: number, shared: SharedPool): Promise<void> {
    const { name } = shared.pool;
    const known = this.#byPort.get(port) ?? this.#leaving.get(port)?.served;
    if (known !== undefined && isMadeOf(known.madeOf, shared)) {
      this.#take(port, known);
      this.#notify(known, shared.objects);
      return;
    }
    const { log, credentials } = this.#options;
    const asked = { at: Number.NEGATIVE_INFINITY };
    const isIdle = () => systemClock.now() - asked.at > idleAfterMs;
    const picker = await this.#options.newPicker(shared, isIdle);
    picker.share(this.#replicas);
    picker.datastore.update(shared.objects);
    const service: typeof picker.service = {
      openStreams: picker.service.openStreams,
      serve(stream, headers) {
        asked.at = systemClock.now();
        picker.service.serve(stream, headers);
      },
    };
    try {
      if (known === undefined) {
        const opened = await PoolPort.open(port, service, credentials);
        this.#take(port, { name, port: opened, picker, madeOf: shared, notified: shared.objects });
      } else {
        known.port.use(service);
        this.#take(port, {
          name,
          port: known.port,
          picker,
          madeOf: shared,
          notified: shared.objects,
        });
        this.#retire(known.picker);
      }
    } catch (error) {
      picker.stop();
      throw error;
    }
    log.info("pool served", { pool: name, port });
  }

  #notify(served: Served, objects: PoolObjects): void {
    const { notified } = served;
    const keys = Object.keys(objects) as Array<keyof PoolObjects>;
    if (keys.every((key) => objects[key] === notified[key])) return;
    served.notified = objects;
    served.picker.datastore.update(objects);
  }

  /** The port is served from now on, also where it was about to be closed. */
  #take(port: number, served: Served): void {
    clearTimeout(this.#leaving.get(port)?.timer);
    this.#leaving.delete(port);
    this.#byPort.set(port, served);
  }

  /** Proxies that have not heard yet are served as before. */
  #leave(port: number): void {
    const served = this.#byPort.get(port) as Served;
    const { drainMs, answersMs, log } = this.#options;
    this.#byPort.delete(port);
    const timer = setTimeout(() => {
      this.#leaving.delete(port);
      this.#keep(close(served, answersMs));
      log.info("pool left", { pool: served.name, port });
    }, drainMs);
    this.#leaving.set(port, { served, timer });
  }

  /** Another picker has its port: it ends with its last stream. */
  #retire(picker: PoolPicker): void {
    const { answersMs } = this.#options;
    const began = systemClock.now();
    const ended = new Promise<void>((resolve) => {
      const check = setInterval(() => {
        const isLate = systemClock.now() - began > answersMs || this.#isStopped;
        if (picker.service.openStreams() > 0 && !isLate) return;
        clearInterval(check);
        picker.stop();
        resolve();
      }, 100);
    });
    this.#keep(ended);
  }

  #keep(closing: Promise<void>): void {
    this.#closing.add(closing);
    void closing.finally(() => this.#closing.delete(closing));
  }

  #reportRefused(refused: ReadonlyMap<string, string>): void {
    for (const [pool, why] of refused)
      if (this.#refused.get(pool) !== why)
        this.#options.log.error("pool not served", undefined, { pool, why });
    this.#refused = refused;
  }
}

/** Whether a picker does for a pool as it is now. */
const isMadeOf = (before: SharedPoolObject, now: SharedPoolObject): boolean =>
  before.pool.uid === now.pool.uid &&
  before.config === now.config &&
  before.tenantHeader === now.tenantHeader &&
  before.unparsedBodies === now.unparsedBodies;

/** What waits has half of the time for it, and what then goes to a server the rest. */
async function close({ port, picker }: Served, answersMs: number): Promise<void> {
  const late = setTimeout(() => picker.closeQueues(), answersMs / 2);
  await port.close(answersMs);
  clearTimeout(late);
  picker.stop();
}
