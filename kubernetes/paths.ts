import type { KindAddress } from "./kinds/kind.ts";

type Served = Pick<KindAddress, "apiVersion" | "plural">;

/** Returns the path of a group and version, under which its kinds are served. */
export const groupVersionPath = (apiVersion: string): string =>
  apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;

/** Returns the path of a kind's objects, in a namespace or, if none is given, in the whole cluster. */
export function collectionPath({ apiVersion, plural }: Served, namespace?: string): string {
  const place = namespace === undefined ? "" : `/namespaces/${segment(namespace)}`;
  return `${groupVersionPath(apiVersion)}${place}/${plural}`;
}

/** Returns the path of an object. A cluster-scoped object has no namespace. */
export const objectPath = (
  kind: Served,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name: string },
): string => `${collectionPath(kind, namespace)}/${segment(name)}`;

/** Returns the path of an object's status. */
export const statusPath = (
  kind: Served,
  object: { readonly namespace?: string | undefined; readonly name: string },
): string => `${objectPath(kind, object)}/status`;

/** Names of roles and of proxied Services contain colons, which need no escape. */
const segment = (name: string) => encodeURIComponent(name).replaceAll("%3A", ":");
