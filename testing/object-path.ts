import * as paths from "../kubernetes/paths.ts";
import type { Manifest } from "../sdk/index.ts";
import { factsOf, kindOf } from "../sdk/topology/planned-kinds.ts";

/** Path of the collection that an object belongs to. */
export function collectionPath({ apiVersion, kind, metadata }: Manifest): string {
  const known = kindOf({ apiVersion, kind });
  const plural = known === undefined ? pluralOf(kind) : factsOf(known).plural;
  return paths.collectionPath({ apiVersion, plural }, metadata.namespace);
}

/** As Kubernetes derives it: policy, policies. */
const pluralOf = (kind: string) => `${kind.toLowerCase()}s`.replace(/([^aeiou])ys$/, "$1ies");

export const objectPath = (manifest: Manifest) =>
  `${collectionPath(manifest)}/${manifest.metadata.name}`;
