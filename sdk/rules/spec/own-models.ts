import type { Invariant } from "../../invariant.ts";
import type { RawSpec } from "../helpers/raw-spec.ts";
import { exportRules } from "./exports.ts";
import { modelRules } from "./llm-services.ts";
import { rewriteRules } from "./model-rewrites.ts";

const modelsNeedARouter: Invariant<RawSpec> = {
  id: "models-need-a-router",
  title: "models, rewrites and resilience require a router",
  why: "The router's endpoint picker reads the model names and detects failing pods. Without it these fields have no effect.",
  source:
    "InferenceModelRewrite proposal: 'The Endpoint Picker Proxy will be responsible for watching these resources'",
  code: "reference",
  *check({ spec }) {
    const roles: unknown[] = Array.isArray(spec.roles) ? spec.roles : [];
    const types = roles.map((role) => (role as { componentType?: unknown } | null)?.componentType);
    if (types.includes("router")) return;
    for (const field of ["models", "rewrites", "resilience"]) {
      if (spec[field] === undefined) continue;
      yield {
        path: [field],
        given: "is set, but no role is a router",
        allowed: "this field only with a router",
        fix: "Add a role with componentType router, or remove the field.",
      };
    }
  },
};

/** Rules on the models, rewrites and exports of an InferenceService. */
export const ownModelRules: ReadonlyArray<Invariant<RawSpec>> = [
  modelsNeedARouter,
  ...modelRules,
  ...rewriteRules("rewrites"),
  ...exportRules,
];
