/**
 * Time to plan a service of many multi-node replicas: `npm run bench:plan`.
 * The median of 15 runs after 5 to warm up; linear means that the time a replica stays the same.
 */
import { planInferenceService } from "../sdk/index.ts";
import { service, worker } from "../testing/sample-service.ts";

const sizes = [10, 100, 1_000, 2_000, 5_000, 10_000];

function medianMilliseconds(run: () => void): number {
  for (let warmUp = 0; warmUp < 5; warmUp += 1) run();
  const times = Array.from({ length: 15 }, () => {
    const start = performance.now();
    run();
    return performance.now() - start;
  });
  return times.sort((a, b) => a - b)[7] ?? Number.NaN;
}

console.log("replicas of 4 nodes | median ms | µs a replica");
for (const replicas of sizes) {
  const input = service([worker({ replicas, multinode: { nodeCount: 4 } })]);
  const median = medianMilliseconds(() => planInferenceService(input));
  const each = (median * 1000) / replicas;
  console.log(
    `${String(replicas).padStart(19)} | ${median.toFixed(2).padStart(9)} | ${each.toFixed(2)}`,
  );
}
