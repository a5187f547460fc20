import { orList } from "../../errors.ts";
import { modelHeaders } from "../../routing/model-headers.ts";
import { modelsOfPool } from "../../stack/pool-models.ts";
import { isPool, poolsOf, routeKind, rulesOf } from "../../stack/pools.ts";
import type { RouteShape } from "../../stack/shapes.ts";
import type { Stack } from "../../stack/stack.ts";
import { specsOf, type TypedObject } from "../../stack/stack-object.ts";
import { containersOf } from "../../stack/workloads.ts";
import { rulesOfPack, type StackRule } from "../helpers/stack-rule.ts";

const { stackRule } = rulesOfPack("inference-routing");

const names = Object.values(modelHeaders).map((name) => name.toLowerCase());

export const routeByModelHasARouter = stackRule(
  { id: "route-by-model-has-a-model-router", code: "reference", level: "advisory" },
  {
    title: "A route that matches model names has a model router in front",
    why: "An HTTPRoute cannot read request bodies. Without a model router no request has the model's header, and the rule never matches.",
    source: "Gateway API inference extension: body-based routing",
    fix: "Create a ModelRouter for the route's Gateway.",
  },
  { of: (stack) => specsOf<RouteShape>(stack, routeKind), needsPods: false },
  function* (route: TypedObject<RouteShape>, { stack }) {
    if (hasModelRouter(stack)) return;
    for (const [rule, { matches = [] }] of (route.spec.rules ?? []).entries())
      for (const [match, { headers = [] }] of matches.entries())
        for (const [header, { name }] of headers.entries()) {
          if (!names.includes(name.toLowerCase())) continue;
          yield {
            path: [...route.path, "rules", rule, "matches", match, "headers", header, "name"],
            given: `is ${name}, a header that no model router of the stack sets`,
            allowed: "a header that a model router sets",
            fix: "Create a ModelRouter.",
          };
          return;
        }
  },
);

const hasModelRouter = (stack: Stack): boolean =>
  stack
    .everyWorkload()
    .flatMap(({ pods }) => pods)
    .some((pods) =>
      containersOf(pods).some(({ container }) => container.args?.[0] === "model-router"),
    );

const weightedPoolsShareAModel = stackRule(
  { id: "weighted-pools-share-a-model", code: "conflict", level: "advisory" },
  {
    title: "The pools that share the requests of a rule serve one model name",
    why: "A request names one model. A pool that does not serve the requested name answers its share of the requests with 404.",
    source: "Gateway API, HTTPRoute weights; vLLM and SGLang: --served-model-name",
    fix: "Serve both models under one name (servedModelName), or create an InferenceModelRewrite with the pools' own names.",
  },
  { of: (stack) => specsOf<RouteShape>(stack, routeKind), needsPods: true },
  function* (route: TypedObject<RouteShape>, { stack }) {
    if (stack.objects.some(({ manifest }) => manifest.kind === "InferenceModelRewrite")) return;
    for (const { path, backends } of rulesOf(route)) {
      const named = backends
        .filter((backend) => isPool(backend) && backend.weight !== 0)
        .flatMap(({ name, namespace = route.namespace }) =>
          poolsOf(stack).filter((pool) => pool.name === name && pool.namespace === namespace),
        )
        .map((pool) => ({ pool, models: modelsOfPool(stack, pool) }));
      const [first, ...others] = named;
      const other = others.find(
        ({ models }) =>
          models && first?.models && !models.some((each) => first.models?.includes(each)),
      );
      if (first === undefined || other === undefined) continue;
      yield {
        path: [...path, "backendRefs"],
        given: `divides requests over ${first.pool.name}, which serves ${orList(first.models ?? [])}, and ${other.pool.name}, which serves ${orList(other.models ?? [])}`,
        allowed: "pools that serve one model name",
        fix: "Set one servedModelName on both, or rewrite the model for each pool.",
      };
    }
  },
);

export const modelRouteRules: readonly StackRule[] = [
  routeByModelHasARouter,
  weightedPoolsShareAModel,
];
