import type { Manifest } from "../sdk/index.ts";

/** Path of the collection that an object belongs to. */
export function collectionPath({ apiVersion, kind, metadata }: Manifest): string {
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const scope = metadata.namespace === undefined ? "" : `/namespaces/${metadata.namespace}`;
  return `${root}${scope}/${pluralOf(kind)}`;
}

/** As Kubernetes derives it: policy, policies. */
const pluralOf = (kind: string) => `${kind.toLowerCase()}s`.replace(/([^aeiou])ys$/, "$1ies");

export const objectPath = (manifest: Manifest) =>
  `${collectionPath(manifest)}/${manifest.metadata.name}`;
