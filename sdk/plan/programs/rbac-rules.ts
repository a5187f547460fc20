import { kinds } from "../../../kubernetes/kinds/index.ts";
import { allow, everyVersion } from "../../../kubernetes/kinds/policy-rule.ts";
import { unplanned } from "../../../kubernetes/kinds/unplanned.ts";

/**
 * RBAC rules of the endpoint picker. The plan and the picker's tests share them; the tests check that each rule is used
 * and none is missing.
 */

/** Rules for each namespace whose LLMServices may use the pool. */
export const llmServiceRules = [allow(["list", "watch"], [kinds.LLMService])];

/** Rules for the pool's namespace. */
export const endpointPickerRules = [
  allow(["list", "watch"], [unplanned.Pod]),
  allow(["list", "watch"], [kinds.InferencePool]),
  allow(["list", "watch"], everyVersion(kinds.InferenceObjective, kinds.InferenceModelRewrite)),
  ...llmServiceRules,
];

/** Rules of a model router for all namespaces, because a route may name pools in any namespace. */
export const modelRouterRules = [
  allow(["list", "watch"], [kinds.HTTPRoute]),
  allow(["list", "watch"], [kinds.InferencePool]),
  allow(["list", "watch"], everyVersion(kinds.InferenceModelRewrite)),
  ...llmServiceRules,
];

/**
 * Rules for leader election with one named Lease. `create` cannot be restricted by name. A picker needs them only with
 * --ha-enable-leader-election, which no plan sets.
 */
export const leaseRules = (name: string) => [
  allow(["create"], [unplanned.Lease]),
  allow(["get", "update"], [unplanned.Lease], { names: [name] }),
];

/** Rules of a picker whose endpoints are in other clusters. */
export const importPickerRules = [allow(["list", "watch"], [kinds.InferencePoolImport])];

/** Rules for the whole cluster, to check the tokens of clients that read the metrics. */
export const metricsAuthRules = [
  allow(["create"], [unplanned.TokenReview]),
  allow(["create"], [unplanned.SubjectAccessReview]),
];
