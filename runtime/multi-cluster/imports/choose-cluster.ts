/** How the cluster of a request is chosen (Multi-Cluster Inference proposal, "InferencePool Selection"). */
export const clusterSelections = ["metric-based", "health-based", "active-passive"] as const;
export type ClusterSelection = (typeof clusterSelections)[number];

export const clusterPreferences = ["PreferLocal", "PreferNearest", "PreferOthers", "Any"] as const;
export type ClusterPreference = (typeof clusterPreferences)[number];

export interface SelectionPolicy {
  /**
   * - `metric-based`: at random, by free capacity: endpoints that are ready, by one more than the mean of their queues.
   * - `health-based`: at random, each cluster alike.
   * - `active-passive`: always the first, the others only without it.
   */
  readonly selection: ClusterSelection;
  /**
   * - `PreferLocal`: this cluster's own pool before all others, for as long as it has endpoints with room.
   * - `PreferNearest`: the own pool, then clusters of its zone, of its region, and all others, each likewise.
   * - `PreferOthers`: the own pool only where no other has endpoints, for a route that has the own pool beside the import.
   */
  readonly preference: ClusterPreference;
  /** Requests that wait at an endpoint in the mean, from which a cluster is preferred no more. */
  readonly spilloverQueueThreshold: number;
  /** Failover order of active-passive; clusters that are not listed follow alphabetically. */
  readonly order: readonly string[];
  /** By which the chance of a cluster in a random selection is multiplied; 1 for one that is not listed. */
  readonly weights: ReadonlyMap<string, number>;
  /** The place of this cluster, for PreferNearest. */
  readonly location: ClusterLocation;
}

/** The place of a cluster; undefined where nobody says. */
export interface ClusterLocation {
  readonly region: string | undefined;
  readonly zone: string | undefined;
}

/** A cluster that may be chosen. */
export interface Choice {
  readonly name: string;
  readonly isLocal: boolean;
  /** It has no endpoints, as far as it is known. */
  readonly isEmpty: boolean;
  readonly location: ClusterLocation;
  /** Undefined where it is not known. */
  readonly load: ClusterLoad | undefined;
}

/** What the picker of a cluster tells of its pool. */
export interface ClusterLoad {
  readonly readyEndpoints: number;
  /** Mean over these of the requests that wait, at them and in the picker's own queues. */
  readonly averageQueueSize: number;
}

/**
 * The clusters in the order in which a request tries them: the first gets it, the others only where those before
 * cannot be reached. Whatever the policy, a cluster without endpoints comes last.
 *
 * @param random uniform in [0, 1); asked once for each cluster of a random selection
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

/** A cluster whose load is not known counts as one of the mean. */
function capacities(clusters: readonly Choice[]): number[] {
  const known = clusters.flatMap(({ load }) => (load === undefined ? [] : [capacity(load)]));
  const mean = known.length === 0 ? 1 : known.reduce((a, b) => a + b) / known.length;
  return clusters.map(({ load }) => (load === undefined ? mean : capacity(load)));
}

const capacity = ({ readyEndpoints, averageQueueSize }: ClusterLoad) =>
  readyEndpoints / (1 + averageQueueSize);

/**
 * Draws all, one after another, each by its share of the weights that are left: who waits the shortest of exponential
 * times comes first (Efraimidis and Spirakis). Weight 0 comes last.
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

/** From 0, this cluster itself, to 3, another region or one that nobody says. A zone is one of its region. */
function distance({ isLocal, location }: Choice, { region, zone }: ClusterLocation): number {
  if (isLocal) return 0;
  if (region === undefined || location.region !== region) return 3;
  return zone !== undefined && location.zone === zone ? 1 : 2;
}

/** A picker that answers may still have nothing to answer with. */
const emptyLast = <Cluster extends Choice>(clusters: readonly Cluster[]): Cluster[] =>
  firstWhere(clusters, ({ isEmpty }) => !isEmpty);

const firstWhere = <Cluster>(
  clusters: readonly Cluster[],
  isFirst: (cluster: Cluster) => boolean,
): Cluster[] => [...clusters.filter(isFirst), ...clusters.filter((cluster) => !isFirst(cluster))];
