import type { Manifest } from "../kubernetes/manifest.ts";
import type { Draft } from "./draft.ts";
import { gangRules } from "./gang.ts";
import type { Invariant } from "./invariant.ts";
import { nameRules } from "./names.ts";
import { gangStackRules } from "./planned-gang.ts";
import { podStackRules } from "./planned-pods.ts";
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

/** Every rule that the objects of a stack are held to, whoever planned them. */
export const stackRules: ReadonlyArray<Invariant<readonly Manifest[]>> = [
  ...gangStackRules,
  ...podStackRules,
];
