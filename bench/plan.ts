/**
 * Measures the CPU time to plan a service of many multi-node replicas: `npm run bench plan`.
 * Each figure is the least of 15 plans after 5 to warm up; linear means that the time a replica stays the same.
 */
import { planInferenceService } from "../sdk/index.ts";
import { service, worker } from "../testing/samples/sample-service.ts";

const sizes = [10, 100, 1_000, 2_000, 5_000, 10_000];

function leastMilliseconds(run: () => void): number {
  for (let warmUp = 0; warmUp < 5; warmUp += 1) run();
  const times = Array.from({ length: 15 }, () => {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}

console.log("replicas of 4 nodes | ms of CPU | µs a replica");
for (const replicas of sizes) {
  const input = service([worker({ replicas, multinode: { nodeCount: 4 } })]);
  const least = leastMilliseconds(() => planInferenceService(input));
  const each = (least * 1000) / replicas;
  console.log(
    `${String(replicas).padStart(19)} | ${least.toFixed(2).padStart(9)} | ${each.toFixed(2)}`,
  );
}
