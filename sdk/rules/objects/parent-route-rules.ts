import { annotation, importedRouteName, importPickerOwner } from "../../names.ts";
import type { PathMatch } from "../../routing/read-model-route.ts";
import { isImport, isPool, type Pool, poolsOf, routeKind, rulesOf } from "../../stack/pools.ts";
import type { RouteShape } from "../../stack/shapes.ts";
import type { Stack } from "../../stack/stack.ts";
import { specsOf, type TypedObject } from "../../stack/stack-object.ts";
import { rulesOfPack, wholeStack } from "../helpers/stack-rule.ts";

const { stackRule } = rulesOfPack("inference-multi-cluster");

type Route = TypedObject<RouteShape>;
type RouteRule = NonNullable<RouteShape["rules"]>[number];

/** A gateway of another cluster receives a request with the host and the path that it has in this cluster. */
export const routesThereTakeWhatIsSent = stackRule(
  { id: "remote-route-matches-requests", code: "conflict", level: "advisory" },
  {
    title: "Requests that go to another cluster's gateway match a route there",
    why: "In ParentMode the remote gateway receives a request with its original host and path, and returns 404 if none of its routes matches.",
    source: "Multi-Cluster Inference proposal, ParentMode: the request is routed again there",
    fix: "Set the same hostnames and paths on both routes, or add a URLRewrite filter to the local route that produces the hostname and path of the remote route.",
  },
  wholeStack,
  function* (stack) {
    for (const pool of poolsOf(stack)) {
      if (pool.object.manifest.metadata.annotations?.[annotation.exportMode] !== "ParentMode")
        continue;
      const [importing, taking] = [routesToImport(stack, pool), routesToPool(stack, pool)];
      for (const here of importing) {
        const there = taking.filter(({ object }) => object !== here.object);
        if (there.length > 0) yield* differences(here, there);
      }
    }
  },
);

/** Routes to a pool in the cluster that exports it. */
const routesToPool = (stack: Stack, { name, namespace }: Pool): Route[] =>
  specsOf<RouteShape>(stack, routeKind).filter((route) =>
    rulesOf(route).some(({ backends }) =>
      backends.some(
        (backend) =>
          isPool(backend) &&
          backend.name === name &&
          (backend.namespace ?? route.namespace) === namespace,
      ),
    ),
  );

/**
 * Routes to a pool from another cluster: to the import, to the pool of a picker for the import, or directly to gateways
 * of other clusters.
 */
const routesToImport = (stack: Stack, { name, namespace }: Pool): Route[] =>
  specsOf<RouteShape>(stack, routeKind).filter(
    (route) =>
      (route.namespace === namespace && route.name === importedRouteName(name)) ||
      rulesOf(route).some(({ backends }) =>
        backends.some(
          (backend) =>
            (backend.namespace ?? route.namespace) === namespace &&
            ((isImport(backend) && backend.name === name) ||
              (isPool(backend) && backend.name === importPickerOwner(name))),
        ),
      ),
  );

function* differences(here: Route, there: readonly Route[]) {
  const hostsThere = there.map(({ spec }) => spec.hostnames ?? []);
  const isAny = hostsThere.some((hosts) => hosts.length === 0);
  const known = [...new Set(hostsThere.flat())];
  const rules = here.spec.rules ?? [];
  if (!isAny && !rules.every((rule) => rewriteOf(rule)?.hostname !== undefined)) {
    const { hostnames = [] } = here.spec;
    const lost = hostnames.filter((host) => !known.some((pattern) => covers(pattern, host)));
    if (hostnames.length === 0 || lost.length > 0)
      yield {
        path: [...here.path, "hostnames"],
        given:
          hostnames.length === 0
            ? "is missing, so requests for any host are sent there"
            : `contains ${lost.join(", ")}, which no remote route to the pool matches`,
        allowed: known.join(", "),
        fix: "Change one of the two routes so that they match.",
      };
  }
  const pathsThere = there.flatMap(({ spec }) => (spec.rules ?? []).flatMap(pathsOf));
  for (const [at, rule] of rules.entries()) {
    if (rewriteOf(rule)?.path !== undefined) continue;
    const lost = pathsOf(rule).filter((path) => !pathsThere.some((each) => takes(each, path)));
    if (lost.length === 0) continue;
    yield {
      path: [...here.path, "rules", at, "matches"],
      given: `contains ${[...new Set(lost.map(({ value }) => value))].join(", ")}, which no remote route to the pool matches`,
      allowed: [...new Set(pathsThere.map(({ value }) => value))].join(", "),
      fix: "Change one of the two routes so that they match.",
    };
  }
}

const rewriteOf = ({ filters = [] }: RouteRule) =>
  filters.find(({ urlRewrite }) => urlRewrite !== undefined)?.urlRewrite;

/** Matches with the defaults that the API server sets. */
const pathsOf = ({ matches }: RouteRule): PathMatch[] =>
  (matches ?? [{}]).map(({ path: { type = "PathPrefix", value = "/" } = {} }) => ({ type, value }));

/** `*.example.com` matches names with one or more additional labels (Gateway API, Hostname). */
const covers = (pattern: string, host: string): boolean =>
  pattern === host || (pattern.startsWith("*.") && host.endsWith(pattern.slice(1)));

function takes({ type, value }: PathMatch, path: PathMatch): boolean {
  if (type === path.type && value === path.value) return true;
  // Only the gateway knows which paths an expression matches.
  if (type === "RegularExpression" || path.type === "RegularExpression") return true;
  const prefix = value.replace(/\/$/, "");
  return type === "PathPrefix" && (path.value === prefix || path.value.startsWith(`${prefix}/`));
}
