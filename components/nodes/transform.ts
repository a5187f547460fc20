import * as pulumi from "@pulumi/pulumi";
import { isDeferred, isKnownMap } from "../../kubernetes/values/deferred.ts";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { type NodeKeyPath, type NodeKeys, nodeKeysIn } from "./node-keys.ts";

/**
 * Change to children that the arguments do not cover. It runs when the component is created, before engine transforms.
 * An object's name and namespace cannot be changed, because other objects refer to them.
 *
 * An object is merged into the planned object like `kubectl patch --type merge`: objects are merged, null removes a
 * field, and any other value replaces it. A function receives the planned object, the resource options and the child's
 * logical name, and changes the first two in place.
 */
export type Transform<Args> =
  | { readonly [field: string]: unknown }
  | ((args: pulumi.Unwrap<Args>, opts: pulumi.CustomResourceOptions, name: string) => void);

/** A child before it is created. */
export interface PlannedChild {
  readonly name: string;
  readonly manifest: Manifest;
  readonly opts: pulumi.CustomResourceOptions;
}

/**
 * @param component name of the component in the error
 * @throws RunError for a transform of a key that is not a child of the component
 */
export function assertKnownTransforms(
  component: string,
  nodeKeys: NodeKeys,
  transforms: object | undefined,
): void {
  const known = nodeKeysIn(nodeKeys).map(({ path }) => path.join("."));
  const unknown = pathsOf(transforms, (path) => known.some((each) => each.startsWith(`${path}.`)));
  const wrong = unknown.filter((path) => !known.includes(path));
  if (wrong.length === 0) return;
  throw new pulumi.RunError(
    `${component}: transform: has ${wrong.join(", ")}, which is not a child; ` +
      `allowed: ${known.sort().join(", ")}. Use the name of a child.`,
  );
}

/** Returns the paths of an object, down to the values that are not groups. */
const pathsOf = (value: object | undefined, isGroup: (path: string) => boolean): string[] =>
  Object.entries(value ?? {}).flatMap(([key, entry]) =>
    isGroup(key) && isKnownMap(entry)
      ? pathsOf(entry, (path) => isGroup(`${key}.${path}`)).map((path) => `${key}.${path}`)
      : [key],
  );

/**
 * Returns the child after the transform of its key. The draft itself is not modified, because children share parts.
 */
export function transformed(
  child: PlannedChild,
  path: NodeKeyPath,
  transforms: object | undefined,
): PlannedChild {
  const transform = path.reduce<unknown>(
    (rest, key) => (rest as Record<string, unknown> | undefined)?.[key],
    transforms,
  ) as Transform<Manifest> | undefined;
  if (transform === undefined) return child;
  const { name } = child;
  const opts = { ...child.opts };
  let manifest: Manifest;
  if (typeof transform === "function") {
    manifest = copied(child.manifest);
    transform(manifest as pulumi.Unwrap<Manifest>, opts, name);
  } else {
    manifest = merged(child.manifest, transform) as Manifest;
  }
  assertSameObject(`transform.${path.join(".")}`, child.manifest, manifest);
  return { name, manifest, opts };
}

function assertSameObject(transform: string, planned: Manifest, made: Manifest): void {
  for (const field of ["name", "namespace"] as const) {
    const [before, after] = [planned.metadata[field], made.metadata?.[field]];
    if (before === after) continue;
    throw new pulumi.RunError(
      `${transform}: changes metadata.${field} of ${planned.kind} "${planned.metadata.name}" from ${shown(before)} to ${shown(after)}; ` +
        `it stays as planned, since other objects refer to it. Set metadata.${field} of the component instead.`,
    );
  }
}

const shown = (value: unknown) => (isDeferred(value) ? "an Output" : JSON.stringify(value));

/** Applies a JSON merge patch (RFC 7386). Values that are only known later are replaced, never merged. */
function merged(target: unknown, patch: unknown): unknown {
  if (!isKnownMap(patch)) return patch;
  const result: Record<string, unknown> = isKnownMap(target) ? { ...target } : {};
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) delete result[field];
    else if (value !== undefined) result[field] = merged(result[field], value);
  }
  return result;
}

function copied<T>(value: T): T {
  if (Array.isArray(value)) return value.map(copied) as T;
  if (!isKnownMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, entry]) => [field, copied(entry)]),
  ) as T;
}
