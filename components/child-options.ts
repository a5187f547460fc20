import type * as pulumi from "@pulumi/pulumi";
import type { Manifest } from "../kubernetes/values/manifest.ts";
import type { PodPlugin as DefinedPodPlugin } from "../sdk/plugins/pod-plugin.ts";
import { accepts } from "./base/property-path.ts";
import type { NodeKeys, TransformsOf } from "./nodes/node-keys.ts";

/**
 * Options that every component of this package accepts.
 *
 * Pulumi passes `provider`, `protect`, `retainOnDelete`, `deletedWith`, `transforms` and `aliases` to the children. The
 * component passes on the following options, and does not apply them to itself:
 *
 * - `ignoreChanges`, `replaceOnChanges`: property paths in a child, such as `spec.replicas`. A path applies to every
 *   child that has the parent of that property. Use `transform` for a single child.
 * - `customTimeouts`, `additionalSecretOutputs`: passed to every child.
 *
 * Components have no option `import`. Set it for a child in `transform`.
 */
export interface ComponentOptions<P extends NodeKeys = Record<never, never>>
  extends pulumi.ComponentResourceOptions {
  /** Names of the children's outputs that are stored as secrets, such as `status`. */
  additionalSecretOutputs?: string[];
  /** Changes to children that the arguments do not cover, by the keys of `nodes`. */
  transform?: TransformsOf<P>;
  /** Pod plugins of the program, which `plugins` can name in addition to the built-in ones. */
  podPlugins?: readonly DefinedPodPlugin[];
}

/** Returns the options that apply to the component itself. */
export function ownOptions(opts: ComponentOptions): pulumi.ComponentResourceOptions {
  const {
    ignoreChanges: _ignoreChanges,
    replaceOnChanges: _replaceOnChanges,
    customTimeouts: _customTimeouts,
    additionalSecretOutputs: _additionalSecretOutputs,
    transform: _transform,
    podPlugins: _podPlugins,
    ...own
  } = opts;
  return own;
}

/** Returns the options with further hooks of updates, after the hooks of the program. */
export function withHooks(
  opts: pulumi.ComponentResourceOptions,
  hooks: pulumi.ResourceHookBinding | undefined,
): pulumi.ComponentResourceOptions {
  const joined = joinedHooks(opts.hooks, hooks);
  return joined === undefined ? opts : { ...opts, hooks: joined };
}

/** Returns the hooks of several bindings, in this order; undefined if there are none. */
export function joinedHooks(
  ...bindings: ReadonlyArray<pulumi.ResourceHookBinding | undefined>
): pulumi.ResourceHookBinding | undefined {
  const entries = bindings.flatMap((each) => Object.entries(each ?? {}));
  if (entries.length === 0) return undefined;
  return Object.fromEntries(
    [...Map.groupBy(entries, ([event]) => event)].map(([event, its]) => [
      event,
      its.flatMap(([, hooks]) => hooks ?? []),
    ]),
  );
}

/** Returns the options that a component passes on to a component inside it. */
export function optionsOfChildren(opts: ComponentOptions): ComponentOptions {
  const { ignoreChanges, replaceOnChanges, customTimeouts, additionalSecretOutputs } = opts;
  return {
    ...(ignoreChanges && { ignoreChanges }),
    ...(replaceOnChanges && { replaceOnChanges }),
    ...(customTimeouts && { customTimeouts }),
    ...(additionalSecretOutputs && { additionalSecretOutputs }),
  };
}

/**
 * Returns the component's options for one child. Paths that do not exist in the child are omitted, because the engine
 * rejects them.
 */
export function handedOn(opts: ComponentOptions, manifest: Manifest): pulumi.CustomResourceOptions {
  const { ignoreChanges, replaceOnChanges, ...others } = optionsOfChildren(opts);
  return {
    ...others,
    ...(ignoreChanges && { ignoreChanges: pathsIn(manifest, ignoreChanges) }),
    ...(replaceOnChanges && { replaceOnChanges: pathsIn(manifest, replaceOnChanges) }),
  };
}

const pathsIn = (manifest: Manifest, paths: readonly string[]) =>
  paths.filter((path) => accepts(path, manifest));
