import { z } from "zod";
import { groups } from "../../kubernetes/kinds/groups.ts";
import type { Aged } from "./age.ts";
import { modelHeaders } from "./model-headers.ts";
import { identityOf, type ObjectIdentity, objectMetadata } from "./object-identity.ts";

/** An HTTPRoute as far as it decides which models reach which pools. */
export interface ModelRouteObject extends Aged {
  readonly gateways: ReadonlyArray<{ readonly namespace: string; readonly name: string }>;
  readonly rules: readonly ModelRouteRule[];
}

export interface ModelRouteRule {
  /** Models that its matches name in the header of the model. */
  readonly models: readonly string[];
  /** Models that they name in the header of the base model. */
  readonly baseModels: readonly string[];
  /** Paths at which the rule takes requests whatever their model. */
  readonly anyModel: readonly PathMatch[];
  /** `namespace/name` of the InferencePools that get requests. */
  readonly pools: readonly string[];
  /** Something else than an InferencePool answers too. */
  readonly answersElsewhere: boolean;
}

/** A path as a match of an HTTPRoute has it. */
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
 * Reads an HTTPRoute of any version. Unknown fields are passed over, and so are gateways that refuse the route.
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

/** What a match wants a header to be; nothing where it takes more than one value. */
const wanted = ({ headers }: Match, header: string): string[] =>
  (headers ?? [])
    .filter(({ type, name }) => type === "Exact" && name.toLowerCase() === header.toLowerCase())
    .map(({ value }) => value);
