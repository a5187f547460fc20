import { afterAll, beforeAll, expect, it } from "vitest";
import { findEnvoy } from "../../testing/envoy/install.ts";
import { type ExportingCluster, startExportingCluster } from "./exporting-cluster.ts";
import { type ImportingCluster, startImportingCluster } from "./importing-cluster.ts";
import { loseAndReturn, loseAtRandom, type Moves } from "./random-losses.ts";

/** Three clusters that are lost again and again while clients ask, through a real Envoy. */

let clusters: ExportingCluster[];
let from: ImportingCluster;
beforeAll(async () => {
  await findEnvoy();
  clusters = await Promise.all(["a", "b", "c"].map((name) => startExportingCluster({ name })));
  const args = ["--import-selection=health-based", "--remote-plaintext", "--import-fail-back=1s"];
  from = await startImportingCluster({ clusters, args });
}, 300_000);
afterAll(async () => {
  await from?.stop();
  for (const cluster of clusters ?? []) await cluster.stop();
});

it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])(
  "loses no request but with servers that die, in 50 rounds of seed %i",
  (seed) => loseAtRandom(from, clusters, { seed, rounds: 50 }),
  1_800_000,
);

it("moves within 2 s and back within 10 s, in each of 50 cycles", async () => {
  const cycles: Moves[] = [];
  for (let cycle = 0; cycle < 50; cycle += 1)
    cycles.push(await loseAndReturn(from, clusters, clusters[0] as ExportingCluster, "pods"));
  expect(Math.max(...cycles.map(({ away }) => away))).toBeLessThanOrEqual(2_000);
  expect(Math.max(...cycles.map(({ back }) => back))).toBeLessThanOrEqual(10_000);
}, 1_800_000);
