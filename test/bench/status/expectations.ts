import { setTimeout as sleep } from "node:timers/promises";
import type { Cluster } from "../../harness/cluster.ts";
import { collections, pathOf } from "./objects.ts";

/** An object as far as its status is looked at. */
export interface Watched {
  readonly metadata: { readonly name: string; readonly generation: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: ReadonlyArray<{ readonly observedGeneration?: number }>;
    readonly components?: Readonly<Record<string, { readonly readyPods: number }>>;
  };
}

interface Expectation {
  readonly since: number;
  readonly holds: (object: Watched) => boolean;
}

/** Longest that a status may take, in milliseconds; later it counts as lost. */
const patience = 30_000;

/** Statuses that should come, and how long they take: told by watches of their own. */
export class Expectations {
  /** Milliseconds from a change to its status. */
  readonly latencies: number[] = [];
  readonly #stop = new AbortController();
  readonly #latest = new Map<string, Watched>();
  readonly #open = new Map<string, Expectation>();
  readonly #synced: Promise<unknown>;

  constructor(cluster: Cluster, namespace: string) {
    this.#synced = Promise.all(
      Object.values(collections).map((collection) => this.#follow(cluster, namespace, collection)),
    );
  }

  get pending(): number {
    return this.#open.size;
  }

  /** Some of the objects whose status is open. */
  get examples(): string[] {
    return [...this.#open.keys()].slice(0, 3);
  }

  /** Every object gets a first status. Before any change. */
  everyStatus(): void {
    void this.#synced.then(() => {
      for (const [key, object] of this.#latest) this.#expect(key, hasStatus, object);
    });
  }

  isOpen(collection: string, name: string): boolean {
    return this.#open.has(`${collection}/${name}`);
  }

  /** The status of an object follows from a change that is about to be made. */
  expect(collection: string, name: string, holds: Expectation["holds"]): void {
    const key = `${collection}/${name}`;
    this.#expect(key, holds, this.#latest.get(key));
  }

  /** Resolves when no status is open any more, or when those that are count as lost. */
  async allMet(): Promise<void> {
    await this.#synced;
    await sleep(0);
    const until = performance.now() + patience;
    while (this.pending > 0 && performance.now() < until) await sleep(20);
  }

  stop(): void {
    this.#stop.abort();
  }

  #expect(key: string, holds: Expectation["holds"], latest: Watched | undefined): void {
    if (latest !== undefined && holds(latest)) return;
    this.#open.set(key, { since: performance.now(), holds });
  }

  async #follow(cluster: Cluster, namespace: string, collection: string): Promise<void> {
    const path = pathOf(namespace, collection);
    const { metadata, items } = await cluster.request<{
      metadata: { resourceVersion: string };
      items: Watched[];
    }>("GET", path);
    for (const item of items) this.#seen(collection, item);
    void this.#watch(
      cluster,
      `${path}?watch=true&resourceVersion=${metadata.resourceVersion}`,
      collection,
    );
  }

  async #watch(cluster: Cluster, path: string, collection: string): Promise<void> {
    try {
      for await (const { object } of cluster.watch<Watched>(path, this.#stop.signal))
        this.#seen(collection, object);
    } catch (error) {
      if (!this.#stop.signal.aborted) throw error;
    }
  }

  #seen(collection: string, object: Watched): void {
    const key = `${collection}/${object.metadata.name}`;
    this.#latest.set(key, object);
    const open = this.#open.get(key);
    if (!open?.holds(object)) return;
    this.#open.delete(key);
    this.latencies.push(performance.now() - open.since);
  }
}

const hasStatus = ({ status }: Watched) => (status?.conditions?.length ?? 0) > 1;
