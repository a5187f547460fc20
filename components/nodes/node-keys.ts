import type * as pulumi from "@pulumi/pulumi";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { present } from "../../kubernetes/values/present.ts";
import type { Metadata } from "../../sdk/spec/inference-service.ts";
import type { ArgsOf, ChildKindName, ResourceOf } from "./child-kinds.ts";
import type { Transform } from "./transform.ts";

/**
 * Keys of a component's children, as in its `nodes` and in the option `transform`: by purpose, not by kind. A planned
 * object belongs to the first key that accepts it.
 */
export interface NodeKeys {
  readonly [purpose: string]: NodeKey | NodeKeys;
}

/** Key for one object of a kind, or for several objects of these kinds. */
export interface NodeKey<K extends ChildKindName = ChildKindName, Many extends boolean = boolean> {
  readonly kinds: readonly K[];
  readonly many: Many;
  readonly takes: (metadata: Manifest["metadata"], component: Metadata) => boolean;
}

const any = () => true;

/** Defines a key for at most one object. */
export const one = <K extends ChildKindName>(
  kind: K,
  takes: NodeKey["takes"] = any,
): NodeKey<K, false> => ({ kinds: [kind], many: false, takes });

/** Defines a key for any number of objects, in the plan's order. */
export const all = <K extends ChildKindName>(
  kinds: readonly K[],
  takes: NodeKey["takes"] = any,
): NodeKey<K, true> => ({ kinds, many: true, takes });

/** Returns a test for the object with a given name of the component. */
export const named =
  (name: (component: string) => string): NodeKey["takes"] =>
  (metadata, component) =>
    metadata.name === name(component.name);

/** Resources of a component, by purpose. Resources that its arguments do not need are undefined. */
export type NodesOf<P> = {
  readonly [Purpose in keyof P]: P[Purpose] extends NodeKey<infer K, infer Many>
    ? Many extends true
      ? ReadonlyArray<ResourceOf<K>>
      : ResourceOf<K> | undefined
    : NodesOf<P[Purpose]>;
};

/** Changes to the children of a component, by purpose. */
export type TransformsOf<P> = {
  [Purpose in keyof P]?: P[Purpose] extends NodeKey<infer K, boolean>
    ? Transform<ArgsOf<K>>
    : TransformsOf<P[Purpose]>;
};

/** Path of an object's key, such as `picker` and `deployment`. */
export type NodeKeyPath = readonly string[];

const isNodeKey = (value: NodeKey | NodeKeys): value is NodeKey =>
  typeof value.takes === "function";

/** Returns every key with its path, in the order in which they accept objects. */
export const nodeKeysIn = (keys: NodeKeys): Array<{ path: NodeKeyPath; key: NodeKey }> =>
  Object.entries(keys).flatMap(([purpose, value]) =>
    isNodeKey(value)
      ? [{ path: [purpose], key: value }]
      : nodeKeysIn(value).map(({ path, key }) => ({ path: [purpose, ...path], key })),
  );

/**
 * Returns the path of an object's key.
 *
 * @throws Error if no key accepts it
 */
export function nodeKeyOf(
  keys: NodeKeys,
  kind: ChildKindName,
  { metadata }: Manifest,
  component: Metadata,
): NodeKeyPath {
  const found = nodeKeysIn(keys).find(
    ({ key }) => key.kinds.includes(kind) && key.takes(metadata, component),
  );
  if (found === undefined)
    throw new Error(`${kind} "${metadata.name}" is not among the nodes of its component`);
  return found.path;
}

/** Returns the nodes of a component from the resources at each path, which is joined by dots. */
export function nodesOf<P extends NodeKeys>(
  keys: P,
  made: ReadonlyMap<string, readonly pulumi.CustomResource[]> = new Map(),
): NodesOf<P> {
  const nodeAt = (value: NodeKey | NodeKeys, path: NodeKeyPath): unknown => {
    if (!isNodeKey(value)) return at(value, path);
    const resources = made.get(path.join(".")) ?? [];
    return value.many ? resources : resources[0];
  };
  const at = (value: NodeKeys, path: NodeKeyPath): object =>
    present(
      Object.fromEntries(
        Object.entries(value).map(([purpose, entry]) => [
          purpose,
          nodeAt(entry, [...path, purpose]),
        ]),
      ),
    );
  return at(keys, []) as NodesOf<P>;
}
