import type { Draft } from "./draft.ts";
import { gangRules } from "./gang.ts";
import type { Invariant } from "./invariant.ts";
import { nameRules } from "./names.ts";
import { roleRules } from "./roles.ts";
import { routerRules } from "./router.ts";

/** Every rule that an InferenceService is held to, beyond the shape of its fields. */
export const inferenceServiceRules: ReadonlyArray<Invariant<Draft>> = [
  ...nameRules,
  ...roleRules,
  ...gangRules,
  ...routerRules,
];
