import { isMap, type PropertyMap, type PropertyValue, withoutSecrets } from "../property-value.ts";

/** A Kubernetes object in clear text, in the format of the API server. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMetadata;
  [field: string]: unknown;
}

export interface ObjectMetadata {
  name?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  annotations?: Record<string, string>;
  labels?: Record<string, string>;
  managedFields?: ManagedFields[];
  [field: string]: unknown;
}

/** The fields of an object that one manager owns, with `fieldsV1` as in the API. */
export interface ManagedFields {
  manager: string;
  operation: "Apply" | "Update";
  apiVersion?: string;
  time?: string;
  fieldsType?: string;
  fieldsV1?: FieldSet;
  subresource?: string;
}

export interface FieldSet {
  [field: string]: FieldSet;
}

/** Metadata that only the API server sets, which inputs omit. */
export const SERVER_SET_METADATA = [
  "creationTimestamp",
  "deletionGracePeriodSeconds",
  "deletionTimestamp",
  "generation",
  "managedFields",
  "resourceVersion",
  "uid",
];

// In the SDK, property names have underscores for the dashes in these fields of CRDs.
const DASHED_FIELD =
  /^x_kubernetes_(embedded_resource|int_or_string|list_map_keys|list_type|map_type|preserve_unknown_fields|validations)$/;
const UNDERSCORED_FIELD =
  /^x-kubernetes-(embedded-resource|int-or-string|list-map-keys|list-type|map-type|preserve-unknown-fields|validations)$/;

/**
 * Converts inputs to an object for a request: in clear text, with the API's field names, without fields that only the
 * server sets.
 */
export function toObject(inputs: PropertyMap): KubernetesObject {
  const object = renamed(withoutSecrets(inputs), dashed) as KubernetesObject;
  const metadata = isMap(object.metadata) ? { ...object.metadata } : object.metadata;
  if (isMap(metadata)) for (const field of SERVER_SET_METADATA) delete metadata[field];
  return { ...object, metadata: metadata ?? {} };
}

/** Converts an object to outputs, with the SDK's field names. */
export function toProperties(object: KubernetesObject): PropertyMap {
  return renamed(object, underscored) as PropertyMap;
}

const dashed = (key: string) => (DASHED_FIELD.test(key) ? key.replaceAll("_", "-") : key);
const underscored = (key: string) => (UNDERSCORED_FIELD.test(key) ? key.replaceAll("-", "_") : key);

function renamed(value: PropertyValue, rename: (key: string) => string): PropertyValue {
  if (Array.isArray(value)) return value.map((item) => renamed(item, rename));
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [rename(key), renamed(item, rename)]),
  );
}

export function annotation(object: PropertyMap, name: string): string | undefined {
  const metadata = object.metadata;
  const annotations = isMap(metadata) ? metadata.annotations : undefined;
  const value = isMap(annotations) ? withoutSecrets(annotations[name]) : undefined;
  return typeof value === "string" ? value : undefined;
}

/** Returns the id of an object's resource: `namespace/name`, or `name` for a cluster-scoped object. */
export function objectId({ metadata }: KubernetesObject): string {
  return metadata.namespace ? `${metadata.namespace}/${metadata.name}` : (metadata.name ?? "");
}

export function parseObjectId(id: string): { namespace?: string; name: string } {
  const at = id.indexOf("/");
  return at < 0 ? { name: id } : { namespace: id.slice(0, at), name: id.slice(at + 1) };
}

/** Returns `apps/v1` and `Deployment` for `kubernetes:apps/v1:Deployment`; the core group has no name in the API. */
export function kindOfType(type: string): { apiVersion: string; kind: string } {
  const [, version = "", kind = ""] = type.split(":");
  const apiVersion = version.startsWith("core/") ? version.slice("core/".length) : version;
  return { apiVersion, kind };
}

export const isCustomResourceDefinition = ({ apiVersion, kind }: KubernetesObject) =>
  kind === "CustomResourceDefinition" && apiVersion.startsWith("apiextensions.k8s.io/");
