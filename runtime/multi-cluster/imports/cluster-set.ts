import { inOrderOfChoice, type SelectionPolicy } from "./choose-cluster.ts";
import type { Destination } from "./relay-stream.ts";
import type { RemoteCluster } from "./remote-cluster.ts";
import { WatchedCluster, type WatchedClusterOptions } from "./watched-cluster.ts";

export interface ClusterSetOptions extends Omit<WatchedClusterOptions, "cluster" | "isLocal"> {
  readonly policy: SelectionPolicy;
  /** A request that was sent on so often goes to no further cluster. */
  readonly hopLimit: number;
  /** Name of this cluster among those of the import; undefined where it is none of them. */
  readonly localCluster: string | undefined;
}

/** The clusters of the import, followed as the import changes. */
export class ClusterSet {
  readonly #options: ClusterSetOptions;
  #clusters: ReadonlyMap<string, { readonly address: string; readonly watched: WatchedCluster }> =
    new Map();

  /** Requests go to clusters that do not answer, which is told once. */
  #panics = false;

  constructor(options: ClusterSetOptions) {
    this.#options = options;
  }

  /** A cluster whose addresses did not change keeps its connections, and what is known of it. */
  update(clusters: readonly RemoteCluster[]): void {
    const before = this.#clusters;
    this.#clusters = new Map(
      clusters.map((cluster) => {
        const address = addressOf(cluster);
        const known = before.get(cluster.name);
        if (known?.address !== address)
          return [cluster.name, { address, watched: this.#watch(cluster) }];
        known.watched.update(cluster);
        return [cluster.name, known];
      }),
    );
    for (const [name, { watched }] of before)
      if (this.#clusters.get(name)?.watched !== watched) watched.stop();
  }

  get all(): readonly WatchedCluster[] {
    return [...this.#clusters.values()].map(({ watched }) => watched);
  }

  /**
   * Those that may get a request, in the order in which it tries them. After those that answer come those that may serve all
   * the same: it is likelier that the way to look at them is broken than that all are gone (Envoy's panic threshold).
   *
   * @param hops how often it was sent on
   */
  inOrder(hops: number): readonly Destination[] {
    const { hopLimit, policy, clock, log } = this.#options;
    const all = this.all.filter(({ isEndOfTheWay }) => isEndOfTheWay || hops < hopLimit);
    const usable = all.filter(({ usable }) => usable);
    const unseen = all.filter(({ usable, mayServeUnseen }) => !usable && mayServeUnseen);
    const panics = usable.length === 0 && unseen.length > 0;
    if (panics && !this.#panics)
      log.error("no cluster responds; requests are sent to the clusters that are Ready");
    this.#panics = panics;
    return [
      ...inOrderOfChoice(usable, policy, clock.random),
      ...inOrderOfChoice(unseen, policy, clock.random).map((cluster) => cluster.unseen()),
    ];
  }

  renew(): void {
    for (const cluster of this.all) cluster.renew();
  }

  stop(): void {
    this.update([]);
  }

  #watch(cluster: RemoteCluster): WatchedCluster {
    const isLocal = cluster.name === this.#options.localCluster;
    const watched = new WatchedCluster({ ...this.#options, cluster, isLocal });
    watched.start();
    return watched;
  }
}

/** All of a cluster but its readiness. */
const addressOf = ({ ready: _, ...address }: RemoteCluster): string => JSON.stringify(address);
