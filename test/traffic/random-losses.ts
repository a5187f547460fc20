import fc from "fast-check";
import { expect } from "vitest";
import type { ExportingCluster } from "./exporting-cluster.ts";
import type { ImportingCluster, KnownCluster } from "./importing-cluster.ts";
import { type SteadyLoad, startLoad } from "./steady-load.ts";

/** What befalls a cluster, and what ends it. */
interface Loss {
  begin(cluster: ExportingCluster): unknown;
  end(cluster: ExportingCluster): unknown;
  /** Whether requests may fail that are with the cluster; those that are with its gateway may fail in any case. */
  readonly costs: boolean;
  readonly isKnown: (cluster: KnownCluster) => boolean;
}

const losses = {
  pods: {
    begin: (cluster) => cluster.setPods(false),
    end: (cluster) => cluster.setPods(true),
    costs: false,
    isKnown: ({ isEmpty }) => isEmpty,
  },
  servers: {
    begin: (cluster) => cluster.setServers(false),
    end: (cluster) => cluster.setServers(true),
    costs: true,
    isKnown: ({ isEmpty }) => isEmpty,
  },
  pickerDies: {
    begin: (cluster) => cluster.setPicker(false),
    end: (cluster) => cluster.setPicker(true),
    costs: false,
    isKnown: ({ usable }) => !usable,
  },
  power: {
    begin: (cluster) => cluster.kill(),
    end: (cluster) => cluster.revive(),
    costs: true,
    isKnown: ({ usable }) => !usable,
  },
  pickerHangs: {
    begin: ({ picker }) => process.kill(picker.pid, "SIGSTOP"),
    end: ({ picker }) => process.kill(picker.pid, "SIGCONT"),
    costs: true,
    isKnown: ({ usable }) => !usable,
  },
} satisfies Record<string, Loss>;

export type LossName = keyof typeof losses;
export const lossNames = Object.keys(losses) as LossName[];

/** A gateway that has nothing to serve with is known by what its picker tells, or by a request through it. */
const getsNone = ({ usable, isEmpty }: KnownCluster) => !usable || isEmpty;

/** Times of a loss, in milliseconds: until the cluster gets no more requests, and until it gets some again. */
export interface Moves {
  readonly away: number;
  readonly back: number;
}

/**
 * Clients ask without pause while a cluster is lost and comes back. No request fails that was not with a server of that cluster,
 * each is served once, and none goes to the cluster while it is known to be lost.
 */
export async function loseAndReturn(
  from: ImportingCluster,
  clusters: readonly ExportingCluster[],
  lost: ExportingCluster,
  name: LossName,
  startClients = () => startLoad(from.client, 4),
): Promise<Moves> {
  const served = () => clusters.reduce((sum, cluster) => sum + cluster.served(), 0);
  const [logged, before] = [(await from.envoy.accessLog(0)).length, served()];
  const load = startClients();
  let moves: Moves;
  try {
    moves = await loseDuring(load, from, lost, losses[name]);
  } finally {
    await load.stop();
  }
  const costs = losses[name].costs || lost.gateway !== undefined;
  const { requests } = load;
  const failed = requests.filter(({ error }) => error !== undefined);
  const log = (await from.envoy.accessLog(logged + requests.length)).slice(logged);
  const broken = log.filter(({ status, flags }) => status !== 200 || flags !== "-");
  const unowed = broken.filter(({ picked }) => !costs || !lost.has(picked ?? ""));
  const kinds = unowed.map(({ status, flags, picked }) => `${status} ${flags} ${picked}`);
  expect([...new Set(kinds)], `${kinds.length} requests while ${name} were lost`).toEqual([]);
  expect(failed.length).toBeLessThanOrEqual(broken.length);
  expect(log).toHaveLength(requests.length);
  const answered = requests.length - failed.length;
  expect(served() - before).toBeGreaterThanOrEqual(answered);
  expect(served() - before).toBeLessThanOrEqual(requests.length);
  return moves;
}

async function loseDuring(
  load: SteadyLoad,
  from: ImportingCluster,
  lost: ExportingCluster,
  loss: Loss,
): Promise<Moves> {
  const known = (holds: (cluster: KnownCluster) => boolean) =>
    from.clusters((all) => all.some((each) => each.name === lost.name && holds(each)));
  await load.answered(10);
  const began = performance.now();
  await loss.begin(lost);
  await known(lost.gateway === undefined ? loss.isKnown : getsNone);
  const away = performance.now() - began;
  const servedOf20 = async () => {
    const at = lost.served();
    await load.answered(20);
    return lost.served() - at;
  };
  // Some may be on their way.
  await expect.poll(servedOf20, { timeout: 20_000 }).toBe(0);
  const atRest = lost.served();
  const ends = performance.now();
  await loss.end(lost);
  await known(({ usable, isEmpty }) => usable && !isEmpty);
  while (lost.served() === atRest) await load.answered(1);
  return { away, back: performance.now() - ends };
}

/** Losses of clusters one after another, the same ones for a seed. */
export async function loseAtRandom(
  from: ImportingCluster,
  clusters: readonly ExportingCluster[],
  { seed, rounds }: { readonly seed: number; readonly rounds: number },
): Promise<void> {
  const anyRound = fc.record({
    at: fc.nat({ max: clusters.length - 1 }),
    name: fc.constantFrom(...lossNames),
  });
  for (const { at, name } of fc.sample(anyRound, { seed, numRuns: rounds }))
    await loseAndReturn(from, clusters, clusters[at] as ExportingCluster, name);
}
