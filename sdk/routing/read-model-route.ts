import { z } from "zod";
import { groups } from "../../kubernetes/kinds/groups.ts";
import type { Aged } from "./age.ts";
import { modelHeaders } from "./model-headers.ts";
import { identityOf, type ObjectIdentity, objectMetadata } from "./object-identity.ts";

/** The fields of an HTTPRoute that decide which models reach which pools. */
export interface ModelRouteObject extends Aged {
  readonly gateways: ReadonlyArray<{ readonly namespace: string; readonly name: string }>;
  readonly rules: readonly ModelRouteRule[];
}

export interface ModelRouteRule {
  /** Models that the rule matches in the model header. */
  readonly models: readonly string[];
  /** Models that the rule matches in the base-model header. */
  readonly baseModels: readonly string[];
  /** Paths at which the rule accepts requests for any model. */
  readonly anyModel: readonly PathMatch[];
  /** `namespace/name` of the InferencePools with a weight above 0. */
  readonly pools: readonly string[];
  /** Whether the rule has a backend other than an InferencePool, or redirects. */
  readonly answersElsewhere: boolean;
}

/** Path match of an HTTPRoute. */
export interface PathMatch {
  readonly type: string;
  readonly value: string;
}

const path = z
  .object({ type: z.string().default("PathPrefix"), value: z.string().default("/") })
  .prefault({});
const match = z.object({
  path,
  headers: z
    .array(z.object({ type: z.string().default("Exact"), name: z.string(), value: z.string() }))
    .nullish(),
});
const reference = { name: z.string(), namespace: z.string().nullish() };
const parentRef = z.object({
  ...reference,
  group: z.string().default(groups.gateway),
  kind: z.string().default("Gateway"),
});
const backendRef = z.object({
  ...reference,
  group: z.string().default(""),
  kind: z.string().default("Service"),
  weight: z.number().default(1),
});
const routeSchema = z.object({
  metadata: objectMetadata,
  spec: z.object({
    parentRefs: z.array(parentRef).nullish(),
    rules: z
      .array(
        z.object({
          matches: z.array(match).nullish(),
          filters: z.array(z.object({ type: z.string() })).nullish(),
          backendRefs: z.array(backendRef).nullish(),
        }),
      )
      .nullish(),
  }),
  status: z
    .object({
      parents: z.array(
        z.object({
          parentRef,
          conditions: z.array(z.object({ type: z.string(), status: z.string() })).nullish(),
        }),
      ),
    })
    .nullish()
    .catch(undefined),
});

type Route = z.output<typeof routeSchema>;
type Rule = NonNullable<Route["spec"]["rules"]>[number];
type Match = z.output<typeof match>;
type Parent = NonNullable<Route["status"]>["parents"][number];

/**
 * Reads an HTTPRoute of any version. Unknown fields are ignored, and gateways that refuse the route are left out.
 * Undefined for a route that is being deleted.
 * @throws ZodError, for `reasonOf`
 */
export function readModelRoute(object: unknown): (ModelRouteObject & ObjectIdentity) | undefined {
  const route = routeSchema.parse(object);
  if (route.metadata.deletionTimestamp) return undefined;
  const { namespace } = route.metadata;
  return {
    ...identityOf(route.metadata),
    gateways: gatewaysOf(route),
    rules: (route.spec.rules ?? []).map((rule) => ruleOf(rule, namespace)),
  };
}

function gatewaysOf({ metadata, spec, status }: Route) {
  const keyOf = ({ namespace, name }: z.output<typeof parentRef>) =>
    `${namespace ?? metadata.namespace}/${name}`;
  const isRefused = ({ conditions }: Parent) =>
    conditions?.some(({ type, status }) => type === "Accepted" && status === "False") ?? false;
  const refusing = new Set(
    (status?.parents ?? []).filter(isRefused).map(({ parentRef }) => keyOf(parentRef)),
  );
  return (spec.parentRefs ?? [])
    .filter((ref) => ref.kind === "Gateway" && ref.group === groups.gateway)
    .filter((ref) => !refusing.has(keyOf(ref)))
    .map(({ namespace, name }) => ({ namespace: namespace ?? metadata.namespace, name }));
}

function ruleOf({ matches, filters, backendRefs }: Rule, namespace: string): ModelRouteRule {
  const all = matches?.length ? matches : [match.parse({})];
  const backends = (backendRefs ?? []).filter(({ weight }) => weight > 0);
  const isPool = ({ group, kind }: (typeof backends)[number]) =>
    group === groups.inference && kind === "InferencePool";
  return {
    models: all.flatMap((each) => wanted(each, modelHeaders.model)),
    baseModels: all.flatMap((each) => wanted(each, modelHeaders.baseModel)),
    anyModel: all
      .filter((each) =>
        [modelHeaders.model, modelHeaders.baseModel].every(
          (name) => wanted(each, name).length === 0,
        ),
      )
      .map(({ path }) => path),
    pools: backends.filter(isPool).map((ref) => `${ref.namespace ?? namespace}/${ref.name}`),
    answersElsewhere:
      !backends.every(isPool) || (filters ?? []).some(({ type }) => type === "RequestRedirect"),
  };
}

/** Returns the value that a match requires of a header. Empty if the match accepts more than one value. */
const wanted = ({ headers }: Match, header: string): string[] =>
  (headers ?? [])
    .filter(({ type, name }) => type === "Exact" && name.toLowerCase() === header.toLowerCase())
    .map(({ value }) => value);
