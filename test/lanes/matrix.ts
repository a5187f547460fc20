/**
 * Test files that check one property for many cases: every attack, every permission, every pair of CRD versions, every edit and
 * interrupted write, every rule through the policy SDK, typed services and their fixes, every page of the site; and the tests of the packed archive, the image
 * and the bundle. `npm run test:matrix` runs them, and `.ci/run` does. `npm test` leaves them out, so that it ends within ten
 * minutes on two cores. The files that take the longest come first.
 */
export const matrix = [
  "test/packaging/tarball.test.ts",
  "test/air-gap/*.test.ts",
  "test/docs/site.test.ts",
  "test/traffic/imports.test.ts",
  "test/examples.test.ts",
  "test/orchestration/capacity.test.ts",
  "test/orchestration/random-clusters.test.ts",
  "test/round-trip.test.ts",
  "test/orchestration/autoscaling-traffic.test.ts",
  "test/orchestration/rollout-traffic.test.ts",
  "test/orchestration/gated-rollout.test.ts",
  "test/rollout/thousand-rollouts.test.ts",
  "test/orchestration/upgrade-traffic.test.ts",
  "test/orchestration/rollout.test.ts",
  "test/multi-cluster/mixed-crds.test.ts",
  "bench/routing/simulate.test.ts",
  "test/multi-cluster/examples.test.ts",
  "components/value-forms.test.ts",
  "test/traffic/picker-end.test.ts",
  "test/attacks/*.test.ts",
  "test/rbac/*.test.ts",
  "test/pod-plugins/webhook.test.ts",
  "runtime/image/image.test.ts",
  "test/gitops.test.ts",
  "test/planned-probes.test.ts",
  "test/platform-example.test.ts",
  "test/incomplete-variants.test.ts",
  "test/traffic/examples.test.ts",
  "test/traffic/failing-pod.test.ts",
  "sdk/engines/model-pods/typed-services.property.test.ts",
  "test/policies/every-rule.test.ts",
  "test/policies/examples.test.ts",
  "test/docs/typescript.test.ts",
  "test/observability/alerts.test.ts",
  "test/observability/dashboards.test.ts",
  "bench/routing/sweep/random-traces.test.ts",
];
