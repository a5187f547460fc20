import type { Endpoint } from "../../../scheduling/endpoints/endpoint.ts";

/**
 * Returns the endpoints that may serve a model. A pool may contain two versions of a base model, between which rewrites
 * or the targets of a registration choose by weight. Each endpoint reports its model; an endpoint that reports another
 * model would respond with 404. A model that no endpoint of the pool reports may be an adapter or an alias, which any
 * endpoint may serve.
 *
 * @param endpoints some endpoints of the pool
 * @param pool all endpoints of the pool
 */
export function servingModel(
  endpoints: readonly Endpoint[],
  pool: readonly Endpoint[],
  model: string,
): readonly Endpoint[] {
  return hasSeveralModels(pool) && pool.some((each) => serves(each, model))
    ? endpoints.filter((each) => serves(each, model))
    : endpoints;
}

const serves = ({ live }: Endpoint, model: string): boolean => live.metrics?.servedModel === model;

function hasSeveralModels(pool: readonly Endpoint[]): boolean {
  let first: string | undefined;
  for (const { live } of pool) {
    const model = live.metrics?.servedModel;
    if (model === undefined || model === first) continue;
    if (first !== undefined) return true;
    first = model;
  }
  return false;
}
