import { olderFirst } from "./age.ts";
import { chooseModel } from "./choose-model.ts";
import { type ModelRouting, modelRouting } from "./model-routing.ts";
import type { ModelRouteObject, ModelRouteRule, PathMatch } from "./read-model-route.ts";
import type { LLMServiceObject } from "./registrations.ts";
import type { ModelRewriteObject } from "./rewrite-table.ts";
import type { RoutedPool } from "./routed-pool.ts";
import { drawTarget, type WeightedTarget } from "./weighted-targets.ts";

/** The models that the routes of a gateway send to its pools. */
export interface ModelRoutes {
  readonly byModel: ReadonlyMap<string, ModelRoute>;
  /** Paths at which requests for any other model may be served. */
  readonly anyModel: readonly PathMatch[];
}

/** Routing of requests for a model. */
export interface ModelRoute {
  /** Value of the base-model header; undefined if no route matches on one. */
  readonly baseModel: string | undefined;
  /** `namespace/name` of the pools that may receive its requests. */
  readonly pools: readonly string[];
  /** Targets to draw from before the pool is chosen. Empty if all targets of the model are served by its own pool. */
  readonly targets: readonly WeightedTarget[];
}

export interface RoutedModel {
  /** Value of the model header, by which a route selects the pool. */
  readonly model: string;
  readonly baseModel: string | undefined;
  /** Target drawn from models of several pools, so that no picker draws again. Undefined if none was drawn. */
  readonly target: string | undefined;
}

export interface RoutingObjects {
  /** Routes of the gateway. */
  readonly routes: readonly ModelRouteObject[];
  readonly pools: readonly RoutedPool[];
  readonly services: readonly LLMServiceObject[];
  readonly rewrites: readonly ModelRewriteObject[];
}

interface Entry {
  baseModel: string | undefined;
  readonly pools: Set<string>;
}

/**
 * Computes the routes of all models. A model has a route if an HTTPRoute names it, or if an LLMService or an
 * InferenceModelRewrite has the name on a pool that a route sends requests to. A name on a pool counts only if a route
 * sends requests for the name to that pool, so that an unrelated pool cannot take over a name.
 */
export function modelRoutes({ routes, ...objects }: RoutingObjects): ModelRoutes {
  const routingOf = routingsOf(objects);
  const rules = [...routes].sort(olderFirst).flatMap(({ rules }) => rules);
  const entries = new Map<string, Entry>();
  const add = (model: string, pools: Iterable<string>): Entry => {
    const entry = entries.get(model) ?? { baseModel: undefined, pools: new Set() };
    for (const pool of pools) entry.pools.add(pool);
    entries.set(model, entry);
    return entry;
  };
  for (const { models, pools } of rules) for (const model of models) add(model, pools);
  for (const { baseModels, pools } of rules)
    for (const baseModel of baseModels) {
      add(baseModel, pools).baseModel = baseModel;
      for (const pool of pools)
        for (const model of namesOn(routingOf(pool))) add(model, [pool]).baseModel ??= baseModel;
    }
  for (const { anyModel, pools } of rules)
    if (anyModel.length > 0)
      for (const pool of pools) for (const model of namesOn(routingOf(pool))) add(model, [pool]);
  const byModel = new Map<string, ModelRoute>();
  for (const [model, { baseModel, pools }] of entries)
    byModel.set(model, {
      baseModel,
      pools: [...pools],
      targets: targetsBeyond(model, pools, entries, routingOf),
    });
  return { byModel, anyModel: openPaths(rules, routingOf) };
}

export const noModelRoutes: ModelRoutes = { byModel: new Map(), anyModel: [] };

/**
 * Returns the route of a model. Draws a target if the model's targets are models of several pools. Undefined for a
 * model without a route.
 *
 * @param path path of the request; undefined if the proxy does not send it
 * @param chance in [0, 1)
 */
export function routeModel(
  model: string,
  path: string | undefined,
  { byModel, anyModel }: ModelRoutes,
  chance: number,
): RoutedModel | undefined {
  const found = byModel.get(model);
  if (found === undefined)
    return anyModel.some((match) => path === undefined || fits(path, match))
      ? { model, baseModel: undefined, target: undefined }
      : undefined;
  const { baseModel, targets } = found;
  if (targets.length === 0) return { model, baseModel, target: undefined };
  const target = drawTarget(targets, chance);
  const there = byModel.get(target);
  return there === undefined
    ? { model, baseModel, target }
    : { model: target, baseModel: there.baseModel, target };
}

type RoutingOf = (pool: string) => ModelRouting | undefined;

/**
 * Returns a function that computes the routing of a pool by `namespace/name` on first use. It returns undefined if the
 * pool does not exist.
 */
function routingsOf({ pools, services, rewrites }: Omit<RoutingObjects, "routes">): RoutingOf {
  const known = new Map(pools.map((pool) => [keyOf(pool), pool]));
  const servicesOf = grouped(services, (service) => service.pools.map(keyOf));
  const rewritesOf = grouped(rewrites, ({ namespace, poolRef: { name } }) => [
    keyOf({ namespace, name }),
  ]);
  const routings = new Map<string, ModelRouting>();
  return (key) => {
    const pool = known.get(key);
    if (pool === undefined) return undefined;
    const routing =
      routings.get(key) ?? modelRouting(pool, servicesOf.get(key) ?? [], rewritesOf.get(key) ?? []);
    routings.set(key, routing);
    return routing;
  };
}

const keyOf = ({ namespace, name }: { readonly namespace: string; readonly name: string }) =>
  `${namespace}/${name}`;

function grouped<T>(objects: readonly T[], keysOf: (object: T) => readonly string[]) {
  const groups = new Map<string, T[]>();
  for (const object of objects)
    for (const key of new Set(keysOf(object))) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [object]);
      else group.push(object);
    }
  return groups;
}

/** Names that LLMServices and rewrites have on a pool. */
function* namesOn(routing: ModelRouting | undefined): Iterable<string> {
  if (routing === undefined) return;
  yield* routing.registrations.byModel.keys();
  if (!routing.registrationRequired) yield* routing.rewrites.exact.keys();
}

/**
 * Returns the targets of a model on the first of its pools that has a target on another pool. Empty if there is none.
 */
function targetsBeyond(
  model: string,
  pools: Iterable<string>,
  entries: ReadonlyMap<string, Entry>,
  routingOf: RoutingOf,
): readonly WeightedTarget[] {
  for (const pool of pools) {
    const routing = routingOf(pool);
    if (routing === undefined) continue;
    const { outcome, rule, targets } = chooseModel(model, routing, 0);
    if (outcome !== "served" || (rule !== undefined && rule === routing.rewrites.generic)) continue;
    const isElsewhere = (target: string) => {
      const there = entries.get(target)?.pools;
      return target !== model && there !== undefined && there.size > 0 && !there.has(pool);
    };
    if (targets.some(({ model: target }) => isElsewhere(target))) return targets;
  }
  return [];
}

/**
 * Returns the paths at which a pool or another backend accepts models that no object names. A pool that does not exist
 * counts as accepting, so that the request reaches the gateway, which reports the missing pool.
 */
function openPaths(rules: readonly ModelRouteRule[], routingOf: RoutingOf): PathMatch[] {
  const paths = new Map<string, PathMatch>();
  for (const { anyModel, pools, answersElsewhere } of rules) {
    const isOpen = pools.some((pool) => routingOf(pool)?.registrationRequired !== true);
    if (!isOpen && !answersElsewhere) continue;
    for (const match of anyModel) paths.set(`${match.type} ${match.value}`, match);
  }
  return [...paths.values()];
}

/** Reports whether a path may match. A regular expression always may; the gateway decides. */
function fits(path: string, { type, value }: PathMatch): boolean {
  const query = path.indexOf("?");
  const plain = query < 0 ? path : path.slice(0, query);
  if (type === "Exact") return plain === value;
  if (type !== "PathPrefix") return true;
  const prefix = value.endsWith("/") ? value.slice(0, -1) : value;
  return plain === prefix || plain.startsWith(`${prefix}/`);
}
