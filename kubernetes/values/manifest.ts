/** Metadata of an object that a plan emits. Namespaced objects always carry their namespace. */
export interface ObjectMeta {
  name: string;
  namespace?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}

/** A Kubernetes object as a plain value, keys in the order of a manifest. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

/** `apps/v1` is group `apps`; the core group is the empty string. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
}

/** What makes an object the same object in a cluster: group, kind, namespace and name; the version is not part of it. */
export function identityOf(manifest: Manifest): string {
  const { name, namespace } = manifest.metadata;
  return [groupOf(manifest.apiVersion), manifest.kind, namespace ?? "", name].join("/");
}
