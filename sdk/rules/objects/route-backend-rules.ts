import { z } from "zod";
import { type PoolGatewayType, poolGatewayTypes, poolSupportOf } from "../../gateways/index.ts";
import type { Finding, FindingText } from "../../invariant.ts";
import { isPool, poolsOf, rulesOf } from "../../stack/pools.ts";
import type { BackendRefShape, RouteShape } from "../../stack/shapes.ts";
import type { Stack } from "../../stack/stack.ts";
import type { StackObject, TypedObject } from "../../stack/stack-object.ts";
import { gatewaysOfRoute } from "../helpers/route-gateways.ts";
import { rulesOfPack, type StackRule } from "../helpers/stack-rule.ts";
import { cutAnswers, gatewayTakesTimeouts, refusedTimeouts } from "../spec/route-timeouts.ts";
import { eachRoute } from "./routing-rules.ts";

const { stackRule } = rulesOfPack("inference-routing");

/** InferencePools of all API groups that have this kind. */
const poolsOfAnyGroup = ({ objects }: Stack): StackObject[] =>
  objects.filter(({ kind }) => kind.endsWith("/InferencePool"));

const groupOfKind = ({ kind }: StackObject) => kind.slice(0, kind.indexOf("/"));

/** Returns the pools, in any API group, with the name and namespace of a backend. */
function meantPools(stack: Stack, { name, namespace }: BackendRefShape, ofRoute: string) {
  return poolsOfAnyGroup(stack).filter(
    ({ manifest: { metadata } }) =>
      metadata.name === name && (metadata.namespace ?? "default") === (namespace ?? ofRoute),
  );
}

const groupIsThePools = stackRule(
  { id: "route-names-the-group-of-its-pool", code: "reference" },
  {
    title: "A route refers to a pool by the pool's API group",
    why: "InferencePool exists in two API groups, which are different kinds. With the wrong group the gateway finds no backend and returns 500.",
    source:
      "Gateway API inference extension: inference.networking.k8s.io from version 1.0, inference.networking.x-k8s.io before",
    fix: "Set group in backendRefs to the group of the pool's apiVersion.",
  },
  eachRoute,
  function* (route, { stack }) {
    for (const { path, backends } of rulesOf(route)) {
      for (const [at, backend] of backends.entries()) {
        const { kind, group = "", name } = backend;
        if (kind !== "InferencePool") continue;
        const groups = meantPools(stack, backend, route.namespace).map(groupOfKind);
        if (groups.length === 0 || groups.includes(group)) continue;
        yield {
          path: [...path, "backendRefs", at, "group"],
          given: `is ${group === "" ? "missing" : group}, but InferencePool ${name} is in another API group`,
          allowed: groups.join(", "),
          fix: `Set group: ${groups[0]}.`,
        };
      }
    }
  },
);

const poolIsThere = stackRule(
  { id: "route-names-a-pool-of-the-stack", code: "reference", level: "advisory" },
  {
    title: "The pools that a route refers to are in the stack",
    why: "If no other stack creates the pool, the gateway answers its share of requests with 500.",
    source: "Gateway API, HTTPRoute condition ResolvedRefs: BackendNotFound",
    fix: "Correct the name or the namespace. If another stack creates the pool, disable this policy for this stack.",
  },
  eachRoute,
  function* (route, { stack }) {
    for (const { path, backends } of rulesOf(route)) {
      for (const [at, backend] of backends.entries()) {
        const { kind, name, namespace = route.namespace } = backend;
        if (kind !== "InferencePool" || meantPools(stack, backend, route.namespace).length > 0)
          continue;
        const others = poolsOfAnyGroup(stack).map(
          ({ manifest: { metadata } }) => `${metadata.namespace ?? "default"}/${metadata.name}`,
        );
        yield {
          path: [...path, "backendRefs", at, "name"],
          given: `is ${name}, but the stack has no InferencePool ${namespace}/${name}`,
          allowed: others.length > 0 ? others.join(", ") : "a pool that another stack creates",
          fix: "Correct the name, or ignore this finding if another stack creates the pool.",
        };
      }
    }
  },
);

const gateways = z
  .record(z.string(), z.enum(poolGatewayTypes))
  .default({})
  .describe(
    "Implementation of each Gateway that is not in the stack, by namespace/name. For Gateways in the stack the class determines it.",
  );

const poolsKeepTheirPickers = stackRule(
  { id: "pools-of-a-rule-keep-their-pickers", code: "conflict", level: "advisory" },
  {
    title: "A rule contains several pools only if the gateway calls each pool's own picker",
    why: "Otherwise one pool's picker chooses for all pools. It ignores the load and caches of the others, and the whole rule fails while its own pool is empty.",
    source: "istio/istio issue 61594 and pull request 61601; docs/gateways.md",
    fix: "Put both versions into one pool and distinguish them by model (rewrites), match them in separate rules, or update the gateway and list it in `fixed`.",
    parameters: z.object({
      gateways,
      fixed: z
        .array(z.enum(poolGatewayTypes))
        .default([])
        .describe("Gateway implementations whose installed version calls each pool's own picker."),
    }),
  },
  eachRoute,
  function* (route, { stack, parameters }) {
    for (const { type } of gatewaysOfRoute(route, stack, parameters.gateways)) {
      const problem = type && !parameters.fixed.includes(type) && poolSupportOf(type).severalPools;
      if (!problem) continue;
      for (const { path, backends } of rulesOf(route)) {
        const pickers = backends
          .filter((backend) => isPool(backend) && (backend.weight ?? 1) > 0)
          .map((backend) => pickerOf(stack, backend, route.namespace));
        if (new Set(pickers).size < 2) continue;
        yield {
          path: [...path, "backendRefs"],
          given: `contain ${pickers.length} InferencePools, but ${type} ${problem}`,
          allowed: "one pool, or pools that share one picker",
          fix: "Use one pool, or one rule per pool. If your gateway has the fix, list it in this rule's `fixed`.",
        };
      }
    }
  },
);

/** Returns the picker of a pool as a string. For a pool that is not in the stack, returns the pool's name. */
function pickerOf(
  stack: Stack,
  { name, namespace: written }: BackendRefShape,
  ofRoute: string,
): string {
  const namespace = written ?? ofRoute;
  const pool = poolsOf(stack).find((each) => each.name === name && each.namespace === namespace);
  const picker = pool?.spec.endpointPickerRef;
  return picker === undefined
    ? `pool ${namespace}/${name}`
    : `${namespace}/${picker.name}:${picker.port?.number}`;
}

const answersEnd = stackRule(
  { id: "route-timeout-covers-responses", code: "conflict", level: "advisory" },
  {
    title: "The timeout of a route to a pool covers the longest response",
    why: "Otherwise the gateway cuts off a long response while tokens still arrive, and clients see an aborted connection.",
    source: "Envoy, RouteAction.timeout: 15 s by default; Gateway API, HTTPRouteTimeouts",
    fix: 'Set timeouts.request of the rule to "0s".',
    parameters: z.object({ gateways }),
  },
  eachRoute,
  function* (route, { stack, parameters }) {
    const types = gatewaysOfRoute(route, stack, parameters.gateways).map(({ type }) => type);
    yield* judgedTimeouts(route, types, cutAnswers);
  },
);

const timeoutsAreTaken = stackRule(
  { id: gatewayTakesTimeouts.id, code: gatewayTakesTimeouts.code },
  {
    ...gatewayTakesTimeouts,
    fix: "Remove timeouts from the rules, and set timeoutSec in a GCPBackendPolicy for the pool.",
    parameters: z.object({ gateways }),
  },
  eachRoute,
  function* (route, { stack, parameters }) {
    const types = gatewaysOfRoute(route, stack, parameters.gateways).map(({ type }) => type);
    yield* judgedTimeouts(route, types, refusedTimeouts);
  },
);

/** Yields at most one finding on the timeouts of each rule with a pool as a backend. */
function* judgedTimeouts(
  { spec, path }: TypedObject<RouteShape>,
  types: readonly (PoolGatewayType | undefined)[],
  judge: (type: PoolGatewayType, timeouts: unknown) => FindingText | undefined,
): Iterable<Finding> {
  for (const [at, { backendRefs = [], timeouts }] of (spec.rules ?? []).entries()) {
    if (!backendRefs.some(isPool)) continue;
    const problem = types.flatMap((type) => (type && judge(type, timeouts)) ?? [])[0];
    if (problem !== undefined) yield { path: [...path, "rules", at, "timeouts"], ...problem };
  }
}

/** Rules on the backends and timeouts of routes. */
export const routeBackendRules: readonly StackRule[] = [
  groupIsThePools,
  poolIsThere,
  poolsKeepTheirPickers,
  answersEnd,
  timeoutsAreTaken,
];
