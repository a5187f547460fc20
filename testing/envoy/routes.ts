import type { z } from "zod";
import { HTTPRouteSpec } from "../../kubernetes/kinds/http-route.ts";

/**
 * Converts an HTTPRoute to Envoy's virtual hosts, as a gateway does. Backends are InferencePools and imports of them.
 */

type Spec = z.output<typeof HTTPRouteSpec>;
type Rule = Spec["rules"][number];
type Match = Rule["matches"][number];
type Filter = NonNullable<Rule["filters"]>[number];
type Backend = NonNullable<Rule["backendRefs"]>[number];

/** An HTTPRoute object, as planned or as read from a cluster. */
export interface HttpRoute {
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined };
  readonly spec?: unknown;
}

/** The target of requests to a backend. */
export interface RouteTarget {
  readonly cluster: string;
  /** Settings of the filters for these requests. */
  readonly filters: object;
}

export type ResolvePool = (kind: string, namespace: string, name: string) => RouteTarget;

export function virtualHost(route: HttpRoute, poolOf: ResolvePool): object {
  const spec = HTTPRouteSpec.parse(route.spec);
  const namespace = route.metadata.namespace ?? "default";
  const entries = spec.rules.flatMap((rule) => rule.matches.map((match) => ({ match, rule })));
  return {
    name: `${namespace}/${route.metadata.name}`,
    // Matches the host with and without a port, because a client's Host header may contain one.
    domains: spec.hostnames?.flatMap((host) => [host, `${host}:*`]) ?? ["*"],
    routes: entries
      .sort((a, b) => precedence(b.match) - precedence(a.match))
      .map(({ match, rule }) => ({
        match: matchOf(match),
        ...headerChanges(rule.filters ?? []),
        ...actionOf(rule, match, ({ kind, namespace: elsewhere = namespace, name }) =>
          poolOf(kind, elsewhere, name),
        ),
      })),
  };
}

/** The order of the Gateway API: exact paths, longer prefixes, then method, headers and query parameters. */
function precedence({ path, method, headers = [], queryParams = [] }: Match): number {
  const ofPath = path.type === "Exact" ? 2000 : path.value.length;
  return (
    ofPath * 2000 + (method === undefined ? 0 : 1000) + headers.length * 20 + queryParams.length
  );
}

function matchOf({ path, method, headers = [], queryParams = [] }: Match): object {
  const stringMatch = ({ type, value }: { type: string; value: string }) =>
    type === "RegularExpression" ? { safe_regex: { regex: value } } : { exact: value };
  return {
    ...pathMatch(path),
    headers: [
      ...(method === undefined ? [] : [{ name: ":method", string_match: { exact: method } }]),
      ...headers.map((header) => ({ name: header.name, string_match: stringMatch(header) })),
    ],
    query_parameters: queryParams.map((parameter) => ({
      name: parameter.name,
      string_match: stringMatch(parameter),
    })),
  };
}

function pathMatch({ type, value }: Match["path"]): object {
  switch (type) {
    case "Exact":
      return { path: value };
    case "RegularExpression":
      return { safe_regex: { regex: value } };
    case "PathPrefix": {
      // Prefixes end at a slash: /v1 does not match /v10.
      const prefix = value.replace(/\/$/, "");
      return prefix === "" ? { prefix: "/" } : { path_separated_prefix: prefix };
    }
  }
}

type PoolOfBackend = (backend: Backend) => RouteTarget;

function actionOf(
  { backendRefs = [], filters = [], timeouts }: Rule,
  match: Match,
  pool: PoolOfBackend,
) {
  const backends = backendRefs.filter(({ weight }) => weight > 0);
  // A rule without backends answers 500 (Gateway API).
  if (backends.length === 0) return { direct_response: { status: 500 } };
  return {
    route: {
      weighted_clusters: { clusters: backends.map((backend) => weightedCluster(backend, pool)) },
      timeout: seconds(timeouts?.request),
      ...pathChanges(filters, match),
    },
  };
}

const knownKinds = ["InferencePool", "InferencePoolImport"];

function weightedCluster(backend: Backend, pool: PoolOfBackend) {
  const { kind, name, weight, filters = [] } = backend;
  if (!knownKinds.includes(kind))
    throw new Error(
      `a backend of kind ${kind} (${name}); this gateway knows ${knownKinds.join(" and ")} only`,
    );
  const { cluster, filters: typed_per_filter_config } = pool(backend);
  return { name: cluster, weight, typed_per_filter_config, ...headerChanges(filters) };
}

function headerChanges(filters: readonly Filter[]): object {
  const known = ["RequestHeaderModifier", "ResponseHeaderModifier", "URLRewrite"];
  const unknown = filters.find(({ type }) => !known.includes(type));
  if (unknown !== undefined) {
    throw new Error(`a filter of type ${unknown.type}; this gateway knows ${known.join(", ")}`);
  }
  const requests = filters.flatMap(({ requestHeaderModifier }) => requestHeaderModifier ?? []);
  const responses = filters.flatMap(({ responseHeaderModifier }) => responseHeaderModifier ?? []);
  const additions = (modifiers: typeof requests) =>
    modifiers.flatMap(({ set = [], add = [] }) => [
      ...set.map((header) => ({
        header: keyed(header),
        append_action: "OVERWRITE_IF_EXISTS_OR_ADD",
      })),
      ...add.map((header) => ({ header: keyed(header), append_action: "APPEND_IF_EXISTS_OR_ADD" })),
    ]);
  return {
    request_headers_to_add: additions(requests),
    request_headers_to_remove: requests.flatMap(({ remove = [] }) => remove),
    response_headers_to_add: additions(responses),
    response_headers_to_remove: responses.flatMap(({ remove = [] }) => remove),
  };
}

const keyed = ({ name, value }: { name: string; value: string }) => ({ key: name, value });

function pathChanges(filters: readonly Filter[], { path: matched }: Match): object {
  const { hostname, path } = filters.find(({ urlRewrite }) => urlRewrite)?.urlRewrite ?? {};
  return {
    ...(hostname !== undefined && { host_rewrite_literal: hostname }),
    ...(path?.replaceFullPath !== undefined && {
      regex_rewrite: { pattern: { regex: "^/[^?]*" }, substitution: path.replaceFullPath },
    }),
    ...(path?.replacePrefixMatch !== undefined && {
      regex_rewrite: prefixRewrite(matched.value, path.replacePrefixMatch),
    }),
  };
}

/** Envoy's own prefix_rewrite would leave two slashes or none where prefix or replacement is a bare slash. */
function prefixRewrite(prefix: string, replacement: string): object {
  const literal = prefix.replace(/\/$/, "").replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return {
    pattern: { regex: `^${literal}/*` },
    substitution: replacement.endsWith("/") ? replacement : `${replacement}/`,
  };
}

/**
 * A Gateway API duration in the format of protobuf. If no duration is given, there is no limit, because answers may
 * take long.
 */
function seconds(duration: string | undefined): string {
  const unit = { h: 3600, m: 60, s: 1, ms: 0.001 };
  const parts = (duration ?? "").matchAll(/(\d+)(ms|h|m|s)/g);
  const sum = [...parts].reduce(
    (sum, [, n, u]) => sum + Number(n) * unit[u as keyof typeof unit],
    0,
  );
  return `${sum}s`;
}
