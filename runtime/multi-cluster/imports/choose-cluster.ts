/** Ways to select the cluster of a request (Multi-Cluster Inference proposal, "InferencePool Selection"). */
export const clusterSelections = ["metric-based", "health-based", "active-passive"] as const;
export type ClusterSelection = (typeof clusterSelections)[number];

export const clusterPreferences = ["PreferLocal", "PreferNearest", "PreferOthers", "Any"] as const;
export type ClusterPreference = (typeof clusterPreferences)[number];

export interface SelectionPolicy {
  /**
   * - `metric-based`: random, in proportion to free capacity: ready endpoints divided by one plus their mean queue.
   * - `health-based`: random, with the same probability for each cluster.
   * - `active-passive`: always the first cluster; the next ones only if it is unavailable.
   */
  readonly selection: ClusterSelection;
  /**
   * - `PreferLocal`: this cluster first, while it has endpoints and its mean queue is below the threshold.
   * - `PreferNearest`: this cluster, then clusters of its zone, of its region, and all others; a cluster whose mean
   *   queue reaches the threshold is last.
   * - `PreferOthers`: this cluster only if no other cluster has endpoints, for a route that has both the local pool and
   *   the import as backends.
   */
  readonly preference: ClusterPreference;
  /** Mean number of queued requests per endpoint from which a cluster is no longer preferred. */
  readonly spilloverQueueThreshold: number;
  /** Failover order of active-passive; clusters that are not listed follow alphabetically. */
  readonly order: readonly string[];
  /** Factors on the probability of clusters in a random selection. Default for unlisted clusters: 1. */
  readonly weights: ReadonlyMap<string, number>;
  /** Location of this cluster, for PreferNearest. */
  readonly location: ClusterLocation;
}

/** Region and zone of a cluster; undefined if unknown. */
export interface ClusterLocation {
  readonly region: string | undefined;
  readonly zone: string | undefined;
}

/** A cluster that may be chosen. */
export interface Choice {
  readonly name: string;
  readonly isLocal: boolean;
  /** Whether the cluster is known to have no endpoints. */
  readonly isEmpty: boolean;
  readonly location: ClusterLocation;
  /** Undefined if unknown. */
  readonly load: ClusterLoad | undefined;
}

/** Load that a cluster's picker reports for its pool. */
export interface ClusterLoad {
  readonly readyEndpoints: number;
  /** Mean number of queued requests per ready endpoint, including the picker's queues. */
  readonly averageQueueSize: number;
}

/**
 * Returns the clusters in the order in which a request tries them. A cluster gets the request only if the clusters
 * before it are unavailable. Clusters without endpoints are last under every policy.
 *
 * @param random uniform in [0, 1); called once per cluster of a random selection
 */
export function inOrderOfChoice<Cluster extends Choice>(
  clusters: readonly Cluster[],
  policy: SelectionPolicy,
  random: () => number,
): Cluster[] {
  const ordered =
    policy.selection === "active-passive"
      ? byRank(clusters, policy.order)
      : byLot(clusters, weightsOf(clusters, policy), random);
  return emptyLast(preferredFirst(ordered, policy));
}

function byRank<Cluster extends Choice>(
  clusters: readonly Cluster[],
  order: readonly string[],
): Cluster[] {
  const rank = ({ name }: Choice) => (order.includes(name) ? order.indexOf(name) : order.length);
  return [...clusters].sort((a, b) => rank(a) - rank(b) || byName(a, b));
}

function weightsOf(clusters: readonly Choice[], { selection, weights }: SelectionPolicy): number[] {
  const shares = selection === "health-based" ? clusters.map(() => 1) : capacities(clusters);
  return clusters.map(({ name }, at) => (shares[at] as number) * (weights.get(name) ?? 1));
}

/** A cluster with unknown load gets the mean capacity of the clusters with known load. */
function capacities(clusters: readonly Choice[]): number[] {
  const known = clusters.flatMap(({ load }) => (load === undefined ? [] : [capacity(load)]));
  const mean = known.length === 0 ? 1 : known.reduce((a, b) => a + b) / known.length;
  return clusters.map(({ load }) => (load === undefined ? mean : capacity(load)));
}

const capacity = ({ readyEndpoints, averageQueueSize }: ClusterLoad) =>
  readyEndpoints / (1 + averageQueueSize);

/**
 * Orders the clusters by weighted random sampling without replacement: each draws an exponential time divided by its
 * weight, and the shortest time is first (Efraimidis and Spirakis). Weight 0 is last.
 */
function byLot<Cluster extends Choice>(
  clusters: readonly Cluster[],
  weights: readonly number[],
  random: () => number,
): Cluster[] {
  return clusters
    .map((cluster, at) => {
      const weight = weights[at] as number;
      const wait = -Math.log(1 - random());
      return { cluster, wait: weight > 0 ? wait / weight : Number.POSITIVE_INFINITY };
    })
    .sort((a, b) => (a.wait === b.wait ? byName(a.cluster, b.cluster) : a.wait - b.wait))
    .map(({ cluster }) => cluster);
}

const byName = (a: Choice, b: Choice) => (a.name < b.name ? -1 : 1);

function preferredFirst<Cluster extends Choice>(
  clusters: readonly Cluster[],
  { preference, spilloverQueueThreshold, location }: SelectionPolicy,
): readonly Cluster[] {
  const hasCapacity = ({ load }: Choice) => (load?.averageQueueSize ?? 0) < spilloverQueueThreshold;
  switch (preference) {
    case "Any":
      return clusters;
    case "PreferOthers":
      return firstWhere(clusters, ({ isLocal }) => !isLocal);
    case "PreferLocal":
      return firstWhere(clusters, (cluster) => cluster.isLocal && hasCapacity(cluster));
    case "PreferNearest": {
      const rank = (cluster: Cluster) =>
        hasCapacity(cluster) ? distance(cluster, location) : Number.POSITIVE_INFINITY;
      return [...clusters].sort((a, b) => (rank(a) < rank(b) ? -1 : rank(a) > rank(b) ? 1 : 0));
    }
  }
}

/** Distance from 0 (this cluster) to 3 (another or unknown region). Zones are compared only within a region. */
function distance({ isLocal, location }: Choice, { region, zone }: ClusterLocation): number {
  if (isLocal) return 0;
  if (region === undefined || location.region !== region) return 3;
  return zone !== undefined && location.zone === zone ? 1 : 2;
}

/** A picker that responds may still have no endpoints. */
const emptyLast = <Cluster extends Choice>(clusters: readonly Cluster[]): Cluster[] =>
  firstWhere(clusters, ({ isEmpty }) => !isEmpty);

const firstWhere = <Cluster>(
  clusters: readonly Cluster[],
  isFirst: (cluster: Cluster) => boolean,
): Cluster[] => [...clusters.filter(isFirst), ...clusters.filter((cluster) => !isFirst(cluster))];
