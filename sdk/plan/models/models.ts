import { groups } from "../../../kubernetes/kinds/groups.ts";
import { kinds } from "../../../kubernetes/kinds/index.ts";
import type { RewriteVersion } from "../../../kubernetes/kinds/inference-model-rewrite.ts";
import type { Manifest, ObjectMeta } from "../../../kubernetes/values/manifest.ts";
import { present } from "../../../kubernetes/values/present.ts";
import { apiMatches } from "../../routing/api-paths.ts";
import { modelHeaders } from "../../routing/model-headers.ts";
import type { InferenceRouteSpec, RouteRule } from "../../spec/inference-route.ts";
import { type LLMServiceSpec, llmServiceKind } from "../../spec/llm-service.ts";
import type { ModelRewriteSpec, ObjectiveSpec } from "../../spec/model-rewrite.ts";
import type { Parsed } from "../../validate/spec-kind.ts";
import { objectMeta } from "../object-meta.ts";

/** The objects of users who have no pods of their own: what is served on the pools of others, and by which route. */

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

/** The oldest version, of the proposal's Go types, calls targets `split`; those that followed call them `targets`. */
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

export function planInferenceRoute(route: Parsed<InferenceRouteSpec>): Manifest[] {
  const { parentRefs, hostnames, rules } = route.spec;
  return [
    {
      apiVersion: kinds.HTTPRoute.apiVersion,
      kind: "HTTPRoute",
      metadata: meta(route),
      spec: present({ parentRefs, hostnames, rules: rules.map(httpRouteRule) }),
    },
  ];
}

function httpRouteRule({ matches = apiMatches(), filters, timeouts, pools, ...rule }: RouteRule) {
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
    timeouts,
  });
}

/** What a model router says of requests that a rule is for. */
const modelMatches = ({ model, baseModel }: Pick<RouteRule, "model" | "baseModel">) =>
  [
    { type: "Exact", name: modelHeaders.model, value: model },
    { type: "Exact", name: modelHeaders.baseModel, value: baseModel },
  ].filter(({ value }) => value !== undefined);

function withHeaders(match: Record<string, unknown>, more: readonly object[]) {
  const headers = Array.isArray(match.headers) ? (match.headers as unknown[]) : [];
  return { ...match, headers: [...headers, ...more] };
}
