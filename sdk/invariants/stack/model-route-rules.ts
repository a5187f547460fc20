import { modelHeaders } from "../../routing/model-headers.ts";
import { routeKind } from "../../stack/pools.ts";
import type { RouteShape } from "../../stack/shapes.ts";
import type { Stack } from "../../stack/stack.ts";
import { specsOf, type TypedObject } from "../../stack/stack-object.ts";
import { containersOf } from "../../stack/workloads.ts";
import { rulesOfPack, type StackRule } from "./stack-rule.ts";

const { stackRule } = rulesOfPack("inference-routing");

const names = Object.values(modelHeaders).map((name) => name.toLowerCase());

export const routeByModelHasARouter = stackRule(
  { id: "route-by-model-has-a-model-router", guidelines: [], code: "reference", level: "advisory" },
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

export const modelRouteRules: readonly StackRule[] = [routeByModelHasARouter];
