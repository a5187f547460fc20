import type { ModelRoutes } from "../../../sdk/routing/model-routes.ts";

/** Models that are shown where none is asked for. */
const shown = 100;

/** What `/debug/models` tells: the route of the model that `?model=` names, or how many there are and the first of them. */
export function modelsPage({ byModel, anyModel }: ModelRoutes, query: URLSearchParams): unknown {
  const model = query.get("model");
  if (model !== null) return { model, route: byModel.get(model) ?? null, anyModel };
  const models = Object.fromEntries([...byModel].slice(0, shown));
  return { count: byModel.size, models, anyModel };
}
