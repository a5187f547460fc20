import { expect } from "vitest";
import type { ExportingCluster } from "./exporting-cluster.ts";
import type { ImportingCluster } from "./importing-cluster.ts";
import { startLoad } from "./steady-load.ts";

/** Milliseconds from the loss of a cluster until no request is lost or late. */
const failoverLimit = 2_000;

/**
 * Clients ask without pause while a cluster is lost. Only requests that were with that cluster may fail, none may once
 * the picker knows, and none may wait for longer than a failover takes.
 */
export async function loseUnderLoad(
  from: ImportingCluster,
  lost: ExportingCluster,
  lose: () => Promise<void>,
): Promise<void> {
  const load = startLoad(from.client, 8);
  await load.answered(100);
  const lostAt = Date.now();
  await lose();
  await load.answered(100);
  await from.clusters((clusters) =>
    clusters.every(({ name, usable }) => name !== lost.name || !usable),
  );
  await load.answered(100);
  const requests = await load.stop();

  const known = from.noticedLossOf(lost.name);
  expect(known - lostAt).toBeLessThanOrEqual(failoverLimit);
  const failed = requests.filter(({ error }) => error !== undefined);
  expect(failed.filter(({ began }) => began > known)).toEqual([]);
  const slowest = Math.max(...requests.map(({ began, ended }) => ended - began));
  expect(slowest).toBeLessThanOrEqual(failoverLimit);

  const logged = await from.envoy.accessLog(requests.length);
  const broken = logged.filter(({ status, flags }) => status !== 200 || flags !== "-");
  expect(broken.filter(({ picked }) => !lost.has(picked ?? ""))).toEqual([]);
  expect(failed.length).toBeLessThanOrEqual(broken.length);
}
