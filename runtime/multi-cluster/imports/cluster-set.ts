import { inOrderOfChoice, type SelectionPolicy } from "./choose-cluster.ts";
import type { Destination } from "./relay-stream.ts";
import type { RemoteCluster } from "./remote-cluster.ts";
import { WatchedCluster, type WatchedClusterOptions } from "./watched-cluster.ts";

export interface ClusterSetOptions extends Omit<WatchedClusterOptions, "cluster" | "isLocal"> {
  readonly policy: SelectionPolicy;
  /** A request that was forwarded this many times is not forwarded to another cluster. */
  readonly hopLimit: number;
  /** Name of this cluster in the import; undefined if the import does not contain it. */
  readonly localCluster: string | undefined;
}

/** The clusters of the import, updated when the import changes. */
export class ClusterSet {
  readonly #options: ClusterSetOptions;
  #clusters: ReadonlyMap<string, { readonly address: string; readonly watched: WatchedCluster }> =
    new Map();

  /** Whether requests are being sent to clusters that do not respond, so that this is logged only once. */
  #panics = false;

  constructor(options: ClusterSetOptions) {
    this.#options = options;
  }

  /** Keeps the connections and the health of clusters whose addresses did not change. */
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
   * Returns the clusters that may get a request, in the order in which it tries them. Clusters that do not respond but
   * are Ready in the import are last: if no cluster responds, the probes are more likely to be broken than all clusters
   * (compare Envoy's panic threshold).
   *
   * @param hops how often the request was forwarded
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

/** Key of a cluster: all its fields except the readiness. */
const addressOf = ({ ready: _, ...address }: RemoteCluster): string => JSON.stringify(address);
