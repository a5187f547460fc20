import { setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "../../kubernetes/api/api-error.ts";
import type { Cluster } from "../../testing/cluster.ts";
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

/** Statuses that should come, and how long they take: told by watches of their own. */
export class Expectations {
  /** Milliseconds from a change to its status, by collection. */
  readonly latencies = new Map<string, number[]>();
  readonly #stop = new AbortController();
  readonly #latest = new Map<string, Watched>();
  readonly #open = new Map<string, Expectation>();
  /** What was expected last of each object. */
  readonly #last = new Map<string, Expectation["holds"]>();
  readonly #synced: Promise<unknown>;

  constructor(cluster: Cluster, namespace: string) {
    this.#synced = Promise.all(
      Object.values(collections).map(
        (collection) =>
          new Promise<void>((resolve) => {
            void this.#follow(cluster, pathOf(namespace, collection), collection, resolve);
          }),
      ),
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
      const since = performance.now();
      for (const [key, object] of this.#latest)
        this.#expect(key, { since, holds: hasStatus }, object);
    });
  }

  isOpen(collection: string, name: string): boolean {
    return this.#open.has(`${collection}/${name}`);
  }

  /** The status of an object follows from a change that is sent, or was at `since`. */
  expect(
    collection: string,
    name: string,
    holds: Expectation["holds"],
    since = performance.now(),
  ): void {
    const key = `${collection}/${name}`;
    this.#expect(key, { since, holds }, this.#latest.get(key));
  }

  /** Resolves when no status is open any more, or when `patience` is over, in milliseconds. */
  async allMet(patience: number): Promise<void> {
    await this.#synced;
    await sleep(0);
    const until = performance.now() + patience;
    while (this.pending > 0 && performance.now() < until) await sleep(20);
  }

  /** Objects that are stored, now, with another status than the last that was expected. */
  async lost(cluster: Cluster, namespace: string): Promise<string[]> {
    const stored = new Map<string, Watched>();
    for (const collection of Object.values(collections)) {
      const { items } = await cluster.request<List>("GET", pathOf(namespace, collection));
      for (const item of items) stored.set(keyOf(collection, item), item);
    }
    return [...this.#last].flatMap(([key, holds]) => {
      const object = stored.get(key);
      return object !== undefined && holds(object) ? [] : [key];
    });
  }

  stop(): void {
    this.#stop.abort();
  }

  #expect(key: string, expectation: Expectation, latest: Watched | undefined): void {
    this.#last.set(key, expectation.holds);
    if (latest !== undefined && expectation.holds(latest)) this.#met(key, expectation);
    else this.#open.set(key, expectation);
  }

  #met(key: string, { since }: Expectation): void {
    this.#open.delete(key);
    const collection = key.slice(0, key.lastIndexOf("/"));
    const latencies = this.latencies.get(collection) ?? [];
    latencies.push(performance.now() - since);
    this.latencies.set(collection, latencies);
  }

  /** Lists and watches, and anew when the server ends the watch, as it does when this process is slow to read. */
  async #follow(
    cluster: Cluster,
    path: string,
    collection: string,
    listed: () => void,
  ): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        const { metadata, items } = await cluster.request<List>("GET", path);
        for (const item of items) this.#seen(collection, item);
        listed();
        const from = `${path}?watch=true&resourceVersion=${metadata.resourceVersion}`;
        for await (const { object } of cluster.watch<Watched>(from, signal))
          this.#seen(collection, object);
      } catch (error) {
        const isTooOld = error instanceof ApiError && error.status === 410;
        if (!signal.aborted && !isTooOld) throw error;
      }
    }
  }

  #seen(collection: string, object: Watched): void {
    const key = keyOf(collection, object);
    this.#latest.set(key, object);
    const open = this.#open.get(key);
    if (open?.holds(object)) this.#met(key, open);
  }
}

interface List {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly Watched[];
}

const keyOf = (collection: string, { metadata }: Watched) => `${collection}/${metadata.name}`;

const hasStatus = ({ status }: Watched) => (status?.conditions?.length ?? 0) > 1;
