import fc from "fast-check";
import { expect } from "vitest";
import type { ExportingCluster } from "./exporting-cluster.ts";
import type { ImportingCluster, KnownCluster } from "./importing-cluster.ts";
import { type SteadyLoad, startLoad } from "./steady-load.ts";

/** A loss of a cluster, and its end. */
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

/** A gateway without capacity is detected by its picker's state, or by a request through it. */
const getsNone = ({ usable, isEmpty }: KnownCluster) => !usable || isEmpty;

/** Times of a loss, in milliseconds: until the cluster gets no more requests, and until it gets some again. */
export interface Moves {
  readonly away: number;
  readonly back: number;
}

/**
 * Clients send requests without pause while a cluster is lost and returns. Only requests at a server of that cluster
 * may fail. Each request is served once, and none is sent to the cluster while its loss is known.
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
