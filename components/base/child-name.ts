import type { Manifest } from "../../kubernetes/values/manifest.ts";
import type { Metadata } from "../../sdk/spec/inference-service.ts";
import { withoutNamespace } from "./namespace.ts";

/**
 * Returns the logical name of the resource for a planned object: the component's name, the kind, and the part of the
 * object's name after the service's name. For example, `deepseek-leaderworkerset-decode-0` is the LeaderWorkerSet
 * `{service}-decode-0` of the component `deepseek`.
 *
 * The logical name begins with the component's name, so that an alias of the component covers its children. It does not
 * contain the service's name, so that a component can be renamed while its objects keep their names.
 */
export function childName(
  component: string,
  { name, namespace }: Metadata,
  manifest: Manifest,
): string {
  const kind = manifest.kind.toLowerCase();
  const object = manifest.metadata.name;
  const prefix =
    [`${name}-`, `${namespace}-${name}-`].find((start) => object.startsWith(start)) ?? "";
  // A Namespace whose name is an unknown Output gets its kind as the name.
  const own = withoutNamespace(object.slice(prefix.length)) || kind;
  const elsewhere =
    manifest.metadata.namespace !== undefined && manifest.metadata.namespace !== namespace;
  const nodeKey = elsewhere ? `-${manifest.metadata.namespace}` : "";
  return object === name || own === kind
    ? `${component}-${kind}${nodeKey}`
    : `${component}-${kind}-${own}${nodeKey}`;
}
