import type { ModelRouting } from "../../../sdk/routing/model-routing.ts";
import type { Registrations } from "../../../sdk/routing/registrations.ts";

const knownTargets = new WeakMap<Registrations, ReadonlySet<string>>();

/** Reports whether an LLMService or a rewrite has a model name, as its own name or as a target. */
export const isConfigured = ({ registrations, rewrites }: ModelRouting, model: string): boolean =>
  registrations.byModel.has(model) ||
  rewrites.exact.has(model) ||
  targetsOf(registrations).has(model) ||
  rewrites.hasTarget(model);

/** Returns the targets of LLMServices. They are collected on the first read, which is rare. */
function targetsOf(registrations: Registrations): ReadonlySet<string> {
  let targets = knownTargets.get(registrations);
  if (targets === undefined) {
    targets = new Set(
      [...registrations.byModel.values()].flatMap((each) => each.targets.map(({ model }) => model)),
    );
    knownTargets.set(registrations, targets);
  }
  return targets;
}
