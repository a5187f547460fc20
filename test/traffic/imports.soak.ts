import { beforeAll, expect, it } from "vitest";
import { findEnvoy } from "../../testing/envoy/install.ts";
import { type ExportingCluster, startExportingCluster } from "./exporting-cluster.ts";
import { type ImportingCluster, startImportingCluster } from "./importing-cluster.ts";
import {
  type LossName,
  loseAndReturn,
  loseAtRandom,
  lossNames,
  type Moves,
} from "./random-losses.ts";
import { startRate } from "./steady-load.ts";

/** Three clusters that are lost again and again while clients ask, through a real Envoy. */

beforeAll(async () => {
  await findEnvoy();
}, 300_000);

/** Losses of each test. */
const rounds = Number(process.env.SOAK_ROUNDS ?? 50);

/** Each test has its own clusters, so leftovers of a failed test do not affect the others. */
async function withClusters(
  lose: (from: ImportingCluster, clusters: readonly ExportingCluster[]) => Promise<void>,
  mode: "EndpointMode" | "ParentMode" = "EndpointMode",
): Promise<void> {
  const clusters = await Promise.all(
    ["a", "b", "c"].map((name) => startExportingCluster({ name, mode })),
  );
  const args = [
    ...["--import-selection=health-based", "--remote-plaintext", "--import-failback-delay=1s"],
    "--parent-probe-path=/v1/models",
  ];
  const from = await startImportingCluster({ clusters, args });
  try {
    await lose(from, clusters);
  } finally {
    await from.stop();
    for (const cluster of clusters) await cluster.stop();
  }
}

it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])(
  `only requests on killed servers fail, in ${rounds} rounds of seed %i`,
  (seed) => withClusters((from, clusters) => loseAtRandom(from, clusters, { seed, rounds })),
  1_800_000,
);

const cyclesOf = (mode: "EndpointMode" | "ParentMode", name: LossName) =>
  withClusters(async (from, clusters) => {
    const cycles: Moves[] = [];
    for (let cycle = 0; cycle < rounds; cycle += 1)
      cycles.push(
        await loseAndReturn(from, clusters, clusters[0] as ExportingCluster, name, () =>
          startRate(from.client, 100),
        ),
      );
    const [away, back] = [cycles.map((each) => each.away), cycles.map((each) => each.back)];
    console.log(`${mode} ${name}: away ${spread(away)}, back ${spread(back)}`);
    expect(Math.max(...away)).toBeLessThanOrEqual(2_000);
    expect(Math.max(...back)).toBeLessThanOrEqual(10_000);
  }, mode);

it.each(["pods", "servers", "pickerDies", "pickerHangs"] as const)(
  `100 requests a second move within 2 s and back within 10 s in each of ${rounds} cycles: %s`,
  (name) => cyclesOf("EndpointMode", name),
  1_800_000,
);

it.each(lossNames)(
  `through two gateways in a row, 100 requests a second move within 2 s and back within 10 s in each of ${rounds} cycles: %s`,
  (name) => cyclesOf("ParentMode", name),
  1_800_000,
);

/** Milliseconds, the middle and the longest. */
function spread(times: readonly number[]): string {
  const sorted = times.map(Math.round).sort((a, b) => a - b);
  return `${sorted[sorted.length >> 1]} ms, at most ${sorted.at(-1)} ms`;
}
