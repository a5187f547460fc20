import type { Invariant } from "../../invariant.ts";
import type { PartialSpec } from "../helpers/partial-spec.ts";
import { autoscalingRules } from "./autoscaling.ts";
import { gangRules } from "./gang.ts";
import { kubernetesFieldRules } from "./kubernetes-fields.ts";
import { nameRules } from "./names.ts";
import { nodesHaveTheAccelerator } from "./node-placement.ts";
import { roleRules } from "./roles.ts";
import { rolloutGateRule } from "./rollout-gate.ts";
import { routerRules } from "./router.ts";
import { templateRules } from "./templates.ts";

/** All rules for an InferenceService, besides the schema of its fields. */
export const inferenceServiceRules: ReadonlyArray<Invariant<PartialSpec>> = [
  ...nameRules,
  ...roleRules,
  ...templateRules,
  ...kubernetesFieldRules,
  nodesHaveTheAccelerator,
  ...gangRules,
  ...autoscalingRules,
  rolloutGateRule,
  ...routerRules,
];
