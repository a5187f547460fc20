import { groups } from "../../../kubernetes/kinds/groups.ts";
import { kinds } from "../../../kubernetes/kinds/index.ts";
import type { RewriteVersion } from "../../../kubernetes/kinds/inference-model-rewrite.ts";
import { withKnown } from "../../../kubernetes/values/deferred.ts";
import type { Manifest, ObjectMeta } from "../../../kubernetes/values/manifest.ts";
import { present } from "../../../kubernetes/values/present.ts";
import type { Path, Problem } from "../../errors.ts";
import { type PoolGatewayType, routeTimeouts } from "../../gateways/index.ts";
import { routeGrantName } from "../../names.ts";
import { apiMatches } from "../../routing/api-paths.ts";
import { modelHeaders } from "../../routing/model-headers.ts";
import type { InferenceRouteSpec, RouteRule } from "../../spec/inference-route.ts";
import { type LLMServiceSpec, llmServiceKind } from "../../spec/llm-service.ts";
import type { ModelRewriteSpec, ObjectiveSpec } from "../../spec/model-rewrite.ts";
import { outputPaths } from "../../validate/outputs.ts";
import type { Parsed } from "../../validate/spec-kind.ts";
import { planRouteAccess } from "../access.ts";
import { objectMeta } from "../object-meta.ts";

/** Objects of users without engines: models on other users' pools, and routes to these pools. */

const meta = ({ metadata }: Parsed<unknown>) => objectMeta({ metadata, owner: {} }, metadata.name);

export function planLLMService(service: Parsed<LLMServiceSpec>): Manifest[] {
  return [{ ...llmServiceKind, metadata: meta(service), spec: { ...service.spec } }];
}

export function planModelRewrite(
  rewrite: Parsed<ModelRewriteSpec>,
  apiVersion: RewriteVersion,
): Manifest[] {
  return [rewriteManifest(apiVersion, meta(rewrite), rewrite.spec)];
}

/** The oldest version (of the proposal's Go types) names the targets `split`; later versions name them `targets`. */
export function rewriteManifest(
  apiVersion: RewriteVersion,
  metadata: ObjectMeta,
  { poolRef, rules }: ModelRewriteSpec,
): Manifest {
  const field = apiVersion === `${groups.inferenceExperimental}/v1alpha1` ? "split" : "targets";
  return {
    apiVersion,
    kind: "InferenceModelRewrite",
    metadata,
    spec: {
      poolRef,
      rules: rules.map(({ matches, targets }) => present({ matches, [field]: targets })),
    },
  };
}

export function planObjective(objective: Parsed<ObjectiveSpec>): Manifest[] {
  return [
    {
      apiVersion: kinds.InferenceObjective.apiVersion,
      kind: "InferenceObjective",
      metadata: meta(objective),
      spec: { ...objective.spec },
    },
  ];
}

/**
 * Returns a ReferenceGrant for each other namespace that contains one of the pools, if `referenceGrants` is set, then
 * the policies of `access` and the HTTPRoute.
 */
export function planInferenceRoute(route: Parsed<InferenceRouteSpec>): Manifest[] {
  const { parentRefs, hostnames, rules, referenceGrants, gateway } = route.spec;
  return [
    ...(referenceGrants ? planReferenceGrants(route) : []),
    ...planRouteAccess(route),
    {
      apiVersion: kinds.HTTPRoute.apiVersion,
      kind: "HTTPRoute",
      metadata: meta(route),
      spec: present({
        parentRefs,
        hostnames,
        rules: rules.map((rule) => httpRouteRule(rule, gateway?.type)),
      }),
    },
  ];
}

/**
 * Returns a warning for each pool whose namespace gets no grant, although `referenceGrants` is set: a preview must know
 * which objects exist, so the namespace of a grant cannot be an Output.
 */
export const ungrantedPools = ({ spec }: Parsed<InferenceRouteSpec>): Problem[] =>
  outputPaths(spec.referenceGrants ? spec.rules.map(({ pools }) => pools) : [])
    .filter(([, , field]) => field === "namespace")
    .map(([rule, pool]) => ({
      code: "unknown-value",
      path: ["rules", rule, "pools", pool, "namespace"] as Path,
      given: "is an Output, so referenceGrants creates no ReferenceGrant in it",
      allowed: "the namespace itself, because it determines which objects are created",
      fix: "Pass the namespace as a string, or let the owner of the pool create the grant.",
    }));

function planReferenceGrants(route: Parsed<InferenceRouteSpec>): Manifest[] {
  const { name, namespace: own } = route.metadata;
  const elsewhere = new Map<string, Set<string>>();
  for (const { name: pool, namespace = own } of route.spec.rules.flatMap(({ pools }) => pools)) {
    if (typeof namespace !== "string" || namespace === own) continue;
    elsewhere.set(namespace, (elsewhere.get(namespace) ?? new Set()).add(pool));
  }
  return [...elsewhere].map(([namespace, pools]) => ({
    apiVersion: kinds.ReferenceGrant.apiVersion,
    kind: "ReferenceGrant",
    metadata: { ...meta(route), name: routeGrantName(own, name), namespace },
    spec: {
      from: [{ group: groups.gateway, kind: "HTTPRoute", namespace: own }],
      to: [...pools].map((pool) => ({
        group: groups.inference,
        kind: "InferencePool",
        name: pool,
      })),
    },
  }));
}

function httpRouteRule(
  { matches = apiMatches(), filters, timeouts, pools, ...rule }: RouteRule,
  gateway: PoolGatewayType = "generic",
) {
  const headers = modelMatches(rule);
  return present({
    matches: headers.length === 0 ? matches : matches.map((match) => withHeaders(match, headers)),
    filters,
    backendRefs: pools.map(({ name, namespace, port, weight }) =>
      present({
        group: groups.inference,
        kind: "InferencePool",
        name,
        namespace,
        port,
        weight,
      }),
    ),
    timeouts: timeouts ?? routeTimeouts(gateway),
  });
}

/** Returns the header matches of a rule for a model. A model router sets these headers. */
const modelMatches = ({ model, baseModel }: Pick<RouteRule, "model" | "baseModel">) =>
  [
    { type: "Exact", name: modelHeaders.model, value: model },
    { type: "Exact", name: modelHeaders.baseModel, value: baseModel },
  ].filter(({ value }) => value !== undefined);

const withHeaders = (match: unknown, more: readonly object[]): unknown =>
  withKnown([match], ([known]) => {
    const { headers = [] } = known as { readonly headers?: unknown };
    return {
      ...(known as object),
      headers: withKnown([headers], ([own]) => [...[own].flat(), ...more]),
    };
  });
