/** Metadata of a planned object. Namespaced objects always contain their namespace. */
export interface ObjectMeta {
  name: string;
  namespace?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}

/** Kubernetes object as a plain value, with keys in the order of a manifest. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

/** Returns the API group of an apiVersion, such as `apps` for `apps/v1`. The core group is the empty string. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
}

/** Returns the identity of an object in a cluster: group, kind, namespace and name. The version is not part of it. */
export function identityOf(manifest: Manifest): string {
  const { name, namespace } = manifest.metadata;
  return [groupOf(manifest.apiVersion), manifest.kind, namespace ?? "", name].join("/");
}
