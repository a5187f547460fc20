/**
 * Test files that prove one property for many cases: every attack, every pair of CRD versions, every interrupted write, every
 * rule through the policy SDK. `npm run test:matrix` runs them, and `.ci/run` does; `npm test` leaves them out, so that it
 * ends within ten minutes on two cores. Each property also has a test of single cases in `npm test`.
 */
export const matrix = [
  "bench/routing/simulate.test.ts",
  "bench/routing/sweep/random-traces.test.ts",
  "test/attacks/attacks.test.ts",
  "test/docs/typescript.test.ts",
  "test/lifecycle/interrupted.test.ts",
  "test/multi-cluster/examples.test.ts",
  "test/multi-cluster/mixed-crds.test.ts",
  "test/orchestration/capacity.test.ts",
  "test/packaging/tarball.test.ts",
  "test/policies/every-rule.test.ts",
  "test/policies/examples.test.ts",
  "test/traffic/examples.test.ts",
  "test/traffic/failing-pod.test.ts",
];
