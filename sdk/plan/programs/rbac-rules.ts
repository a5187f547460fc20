import { kinds } from "../../../kubernetes/kinds/index.ts";
import { allow, everyVersion } from "../../../kubernetes/kinds/policy-rule.ts";
import { unplanned } from "../../../kubernetes/kinds/unplanned.ts";

/**
 * What the endpoint picker may do. The rules stand here once: the plan grants them, and the picker's tests
 * prove that each is used and none is missing.
 */

/** In every namespace whose LLMServices may use the pool. */
export const llmServiceRules = [allow(["list", "watch"], [kinds.LLMService])];

/** In the pool's namespace. */
export const endpointPickerRules = [
  allow(["list", "watch"], [unplanned.Pod]),
  allow(["list", "watch"], [kinds.InferencePool]),
  allow(["list", "watch"], everyVersion(kinds.InferenceObjective, kinds.InferenceModelRewrite)),
  ...llmServiceRules,
];

/** What a model router may do, in every namespace: a route leads to pools anywhere. */
export const modelRouterRules = [
  allow(["list", "watch"], [kinds.HTTPRoute]),
  allow(["list", "watch"], [kinds.InferencePool]),
  allow(["list", "watch"], everyVersion(kinds.InferenceModelRewrite)),
  ...llmServiceRules,
];

/**
 * For leader election by a Lease: of one name, besides its creation, which RBAC cannot tell by name. A picker has it only
 * where --ha-enable-leader-election is set, which no plan does.
 */
export const leaseRules = (name: string) => [
  allow(["create"], [unplanned.Lease]),
  allow(["get", "update"], [unplanned.Lease], { names: [name] }),
];

/** Rules of a picker whose endpoints are in other clusters. */
export const importPickerRules = [allow(["list", "watch"], [kinds.InferencePoolImport])];

/** In the whole cluster, to ask the API server who may read the picker's metrics. */
export const metricsAuthRules = [
  allow(["create"], [unplanned.TokenReview]),
  allow(["create"], [unplanned.SubjectAccessReview]),
];
