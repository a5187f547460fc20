/** Test files that run the Pulumi CLI outside of its folders: `npm run test:cli`. `npm test` leaves them out. */
export const withPulumi = [
  "components/lifecycle.test.ts",
  "components/inference-crds.test.ts",
  "components/models/lifecycle.test.ts",
  "components/platform/inference-platform.test.ts",
  "components/rollout/placement-hooks.test.ts",
  "test/lifecycle/*.test.ts",
  "components/options.test.ts",
  "components/rollout/loss-hooks.test.ts",
  "program-tests/check-upgrade.test.ts",
];
