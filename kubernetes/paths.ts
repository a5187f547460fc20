import type { KindAddress } from "./kinds/kind.ts";

type Served = Pick<KindAddress, "apiVersion" | "plural">;

/** Path of a group and version, under which its kinds are served. */
export const groupVersionPath = (apiVersion: string): string =>
  apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;

/** Path of the objects of a kind: of a namespace, or of the whole cluster where none is given. */
export function collectionPath({ apiVersion, plural }: Served, namespace?: string): string {
  const place = namespace === undefined ? "" : `/namespaces/${segment(namespace)}`;
  return `${groupVersionPath(apiVersion)}${place}/${plural}`;
}

/** Path of an object. One of the whole cluster has no namespace. */
export const objectPath = (
  kind: Served,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name: string },
): string => `${collectionPath(kind, namespace)}/${segment(name)}`;

/** Path of the status of an object. */
export const statusPath = (
  kind: Served,
  object: { readonly namespace?: string | undefined; readonly name: string },
): string => `${objectPath(kind, object)}/status`;

/** Names of roles and of proxied Services have colons, which need no escape. */
const segment = (name: string) => encodeURIComponent(name).replaceAll("%3A", ":");
