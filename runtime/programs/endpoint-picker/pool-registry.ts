import { messageOf } from "../../../kubernetes/values/records.ts";
import { sharedPorts } from "../../../sdk/routing/picker-ports.ts";
import { systemClock } from "../../epp/clock.ts";
import type { PoolObjects } from "../../epp/datastore/pool-objects.ts";
import type { SharedPoolObject } from "../../epp/sources/read-shared-pool.ts";
import type { SharedPool } from "../../epp/sources/shared-pools-source.ts";
import type { Log } from "../../manager/log.ts";
import type { ServerTls } from "../../manager/tls/server-tls.ts";
import type { PoolPicker } from "./pool-picker.ts";
import { PoolPort } from "./pool-port.ts";

export interface PoolRegistryOptions {
  /** Creates the picker of a pool. */
  newPicker(pool: SharedPool, isIdle: () => boolean): Promise<PoolPicker>;
  /** Undefined for plain text. */
  readonly tls: ServerTls | undefined;
  /** Ports that the process uses itself. */
  readonly ownPorts: ReadonlySet<number>;
  /** Time for which the port of a removed pool is still served, until proxies have learned of it, in ms. */
  readonly drainMs: number;
  /** Further time for responses in progress, in ms. */
  readonly answersMs: number;
  readonly log: Log;
}

/** Time after its last request from which a pool is idle, in ms. */
const idleAfterMs = 5_000;

/** A served pool. */
interface Served {
  readonly name: string;
  readonly port: PoolPort;
  readonly picker: PoolPicker;
  /** The pool's settings when its picker was created. */
  readonly madeOf: SharedPoolObject;
  notified: PoolObjects;
}

/**
 * The pools of a process, each served at its own port. A new pool gets a port, and a pool with a changed configuration
 * a new picker at the same port. The port of a removed pool is served for a while, so that no stream is aborted early.
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

  /** Pickers by name of the pool. */
  get pickers(): ReadonlyMap<string, PoolPicker> {
    return new Map([...this.#byPort.values()].map(({ name, picker }) => [name, picker]));
  }

  /** Reason why a pool is not served, by its name. */
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

  /** Sets the number of replicas of the process that take requests. */
  share(replicas: number): void {
    this.#replicas = replicas;
    for (const { picker } of this.#byPort.values()) picker.share(replicas);
  }

  /** Sets the pools. Resolves when they are served. */
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

  /** Applies one change at a time, so that no port is opened twice. */
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
        // Its picker continues with the previous configuration.
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
    const { log, tls } = this.#options;
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
        const opened = await PoolPort.open(port, service, tls);
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

  /** Serves the port from now on, and cancels a pending close. */
  #take(port: number, served: Served): void {
    clearTimeout(this.#leaving.get(port)?.timer);
    this.#leaving.delete(port);
    this.#byPort.set(port, served);
  }

  /** Serves the port for the drain time, then closes it. */
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

  /** Stops a replaced picker after its last stream. */
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

/** Whether a pool can keep its picker. */
const isMadeOf = (before: SharedPoolObject, now: SharedPoolObject): boolean =>
  before.pool.uid === now.pool.uid &&
  before.config === now.config &&
  before.tenantHeader === now.tenantHeader &&
  before.unparsedBodies === now.unparsedBodies;

/** Queued requests may wait for half of the time; requests that are then sent to a server have the other half. */
async function close({ port, picker }: Served, answersMs: number): Promise<void> {
  const late = setTimeout(() => picker.closeQueues(), answersMs / 2);
  await port.close(answersMs);
  clearTimeout(late);
  picker.stop();
}
