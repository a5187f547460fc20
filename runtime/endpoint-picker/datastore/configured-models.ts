import type { ModelRouting } from "../../../sdk/routing/model-routing.ts";

const known = new WeakMap<ModelRouting, ReadonlySet<string>>();

/**
 * Model names that LLMServices and rewrites have, as what they are for or as a target. Put together when it is first
 * asked for, since that is seldom.
 */
export function configuredModels(routing: ModelRouting): ReadonlySet<string> {
  let models = known.get(routing);
  if (models === undefined) {
    models = modelsOf(routing);
    known.set(routing, models);
  }
  return models;
}

function modelsOf({ registrations, rewrites }: ModelRouting): ReadonlySet<string> {
  const { exact, generic } = rewrites;
  const models = new Set([...registrations.byModel.keys(), ...exact.keys()]);
  const add = ({ targets }: { targets: ReadonlyArray<{ readonly model: string }> }) => {
    for (const { model } of targets) models.add(model);
  };
  registrations.byModel.forEach(add);
  exact.forEach(add);
  if (generic !== undefined) add(generic);
  return models;
}
