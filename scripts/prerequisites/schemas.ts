import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { isMap } from "../../kubernetes/values/records.ts";
import { ownCrds } from "../../sdk/crds/own-kinds.ts";
import type { ObjectSchemas, Schema } from "../../sdk/schemas/object-schemas.ts";
import { type GoModule, moduleSource, pinnedVersion } from "../../testing/processes/go-modules.ts";
import { read } from "./objects.ts";

/** CRDs by Go module: the files, and the kinds. Without kinds, all of them are packed. */
const crdFiles: ReadonlyArray<readonly [GoModule, title: string, files: string, kinds?: RegExp]> = [
  // The experimental channel has every field of the standard channel.
  ["gateway-api", "Gateway API", "config/crd/experimental/*.yaml"],
  ["inference-extension", "Gateway API Inference Extension", "config/crd/bases/*.yaml"],
  ["lws", "LeaderWorkerSet", "config/crd/bases/*.yaml"],
  ["volcano", "Volcano", "config/crd/volcano/bases/*.yaml", /^(PodGroup|Queue|HyperNode|Job)$/],
  ["keda", "KEDA", "config/crd/bases/*.yaml"],
  [
    "prometheus-operator",
    "Prometheus Operator",
    "example/prometheus-operator-crd/*.yaml",
    /^(PodMonitor|ServiceMonitor|PrometheusRule)$/,
  ],
  [
    "istio",
    "Istio",
    "manifests/charts/base/files/*.yaml",
    /^(DestinationRule|ServiceEntry|EnvoyFilter|RequestAuthentication|AuthorizationPolicy)$/,
  ],
  [
    "envoy-gateway",
    "Envoy Gateway",
    "charts/gateway-helm/charts/crds/crds/generated/*.yaml",
    /^(Backend|BackendTrafficPolicy|EnvoyExtensionPolicy|SecurityPolicy)$/,
  ],
];

/** Built-in kinds that stacks contain, as `group/version/Kind`. */
const builtIn =
  /^(\/v1\/(ConfigMap|LimitRange|Namespace|PersistentVolume|PersistentVolumeClaim|Pod|PodTemplate|ReplicationController|ResourceQuota|Secret|Service|ServiceAccount)|apps\/v1\/\w+|autoscaling\/v2\/\w+|batch\/v1\/\w+|networking\.k8s\.io\/v1\/(Ingress|NetworkPolicy)|policy\/v1\/PodDisruptionBudget|rbac\.authorization\.k8s\.io\/v1\/\w+|resource\.k8s\.io\/v1\/ResourceClaim\w*|scheduling\.k8s\.io\/v1\/\w+|admissionregistration\.k8s\.io\/v1\/\w+)$/;

/** Returns the schemas of the kinds that the pinned Go modules define, and of this project's kinds without a reader. */
export async function objectSchemas(): Promise<ObjectSchemas> {
  const schemas = await builtInSchemas();
  const kinds: Record<string, ObjectSchemas["kinds"][string]> = { ...schemas.kinds };
  for (const [name, title, files, wanted] of crdFiles) {
    const source = `${title} ${pinnedVersion(name).replace(/^v/, "")}`;
    Object.assign(kinds, kindsOf(read(await moduleSource(name), files), source, wanted));
  }
  return { ...schemas, kinds: { ...kinds, ...ownSchemas() } };
}

/** Returns the schemas of this project's kinds, except the one that has readers of its own and is the largest by far. */
export const ownSchemas = (): ObjectSchemas["kinds"] =>
  kindsOf(ownCrds(), "pulumi-inference", /^(?!InferenceService$)/);

interface Crd {
  readonly kind: string;
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: ReadonlyArray<{
      readonly name: string;
      readonly schema: { readonly openAPIV3Schema: Schema };
    }>;
  };
}

function kindsOf(objects: readonly object[], source: string, wanted = /^/): ObjectSchemas["kinds"] {
  const crds = (objects as Crd[]).filter(
    ({ kind, spec }) => kind === "CustomResourceDefinition" && wanted.test(spec.names.kind),
  );
  return Object.fromEntries(
    crds.flatMap(({ spec: { group, names, versions } }) =>
      versions.map(({ name, schema: { openAPIV3Schema: schema } }) => {
        return [
          `${group}/${name}/${names.kind}`,
          { source, schema: reduced(ownFields(schema), crdKeyword) },
        ];
      }),
    ),
  );
}

/** Returns the schemas of built-in kinds, and of the types that they refer to, without the prefix of type names. */
async function builtInSchemas(): Promise<ObjectSchemas> {
  const folder = join(await moduleSource("kubernetes"), "api/openapi-spec/v3");
  const source = `Kubernetes ${pinnedVersion("kubernetes").replace(/^v/, "")}`;
  const types: Record<string, Schema> = {};
  const kinds: Record<string, { source: string; schema: Schema }> = {};
  for (const file of globSync("api*__v[0-9]_openapi.json", { cwd: folder }).sort()) {
    const { components } = JSON.parse(readFileSync(join(folder, basename(file)), "utf8"));
    for (const [type, schema] of Object.entries<Schema>(components?.schemas ?? {})) {
      types[type] = schema;
      const [kind, ...more] = (schema["x-kubernetes-group-version-kind"] ?? []) as KindName[];
      const name = kind && `${kind.group}/${kind.version}/${kind.kind}`;
      if (name === undefined || more.length > 0 || kind?.kind.endsWith("List")) continue;
      if (builtIn.test(name))
        kinds[name] = { source, schema: reduced(ownFields(schema), builtInKeyword) };
    }
  }
  const definitions: Record<string, Schema> = {};
  const add = (type: string): void => {
    if (type in definitions) return;
    const schema = reduced(types[type] ?? {}, builtInKeyword);
    definitions[type] = schema;
    for (const each of referencesIn(schema)) add(each);
  };
  add(objectMeta);
  for (const { schema } of Object.values(kinds)) for (const type of referencesIn(schema)) add(type);
  return { metadata: objectMeta, definitions, kinds };
}

const objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

interface KindName {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Returns the schema of a kind without the fields that other schemas describe. */
function ownFields(schema: Schema): Schema {
  const {
    apiVersion: _,
    kind: __,
    metadata: ___,
    status: ____,
    ...properties
  } = schema.properties ?? {};
  return { ...schema, properties };
}

const referencesIn = (schema: unknown): string[] =>
  Array.isArray(schema)
    ? schema.flatMap(referencesIn)
    : isMap(schema)
      ? Object.entries(schema).flatMap(([key, value]) =>
          key === "$ref" && typeof value === "string" ? [value] : referencesIn(value),
        )
      : [];

/** Keywords of CRDs that limit values, or set missing ones. */
const crdKeyword = (key: string): boolean =>
  !["description", "title", "example", "externalDocs"].includes(key) &&
  !["x-kubernetes-validations", "x-kubernetes-map-type"].includes(key);

/** The API server applies defaults and list keys of built-in kinds in code, which the OpenAPI only repeats. */
const builtInKeyword = (key: string): boolean =>
  crdKeyword(key) && key !== "default" && !/^x-kubernetes-(?!int-or)/.test(key);

function reduced(schema: Schema, keeps: (keyword: string) => boolean): Schema {
  const { allOf, ...rest } = schema;
  const [only, ...more] = allOf ?? [];
  if (only?.$ref !== undefined && more.length === 0) return reduced(only, keeps);
  if (schema.$ref !== undefined) return { $ref: schema.$ref.split("/").at(-1) ?? "" };
  // Free objects of built-in kinds, such as templates of other kinds.
  const isFree =
    keeps === builtInKeyword &&
    schema.type === "object" &&
    schema.properties === undefined &&
    schema.additionalProperties === undefined;
  const kept = Object.entries(allOf === undefined ? rest : schema)
    .filter(([key]) => keeps(key))
    .map(([key, value]) => [key, reducedKeyword(key, value, keeps)] as const);
  return {
    ...Object.fromEntries(kept),
    ...(isFree && { "x-kubernetes-preserve-unknown-fields": true }),
  };
}

function reducedKeyword(key: string, value: unknown, keeps: (keyword: string) => boolean): unknown {
  if (key === "properties")
    return Object.fromEntries(
      Object.entries(value as Record<string, Schema>).map(([name, each]) => [
        name,
        reduced(each, keeps),
      ]),
    );
  if (["allOf", "anyOf", "oneOf"].includes(key))
    return (value as Schema[]).map((each) => reduced(each, keeps));
  if (!["items", "not", "additionalProperties"].includes(key) || !isMap(value)) return value;
  // In lists of built-in kinds, null is an empty value.
  const isNullable = key === "items" && keeps === builtInKeyword;
  return { ...reduced(value as Schema, keeps), ...(isNullable && { nullable: true }) };
}
