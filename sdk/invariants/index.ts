import type { Invariant } from "../invariant.ts";
import type { Draft } from "./draft.ts";
import { gangRules } from "./gang.ts";
import { nameRules } from "./names.ts";
import { roleRules } from "./roles.ts";
import { routerRules } from "./router.ts";
import { templateRules } from "./templates.ts";

/** Every rule that an InferenceService is held to, beyond the shape of its fields. */
export const inferenceServiceRules: ReadonlyArray<Invariant<Draft>> = [
  ...nameRules,
  ...roleRules,
  ...templateRules,
  ...gangRules,
  ...routerRules,
];

export { stackRules } from "./stack/index.ts";
