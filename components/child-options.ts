import type * as pulumi from "@pulumi/pulumi";
import type { Manifest } from "../kubernetes/values/manifest.ts";
import type { PodPlugin as DefinedPodPlugin } from "../sdk/plugins/pod-plugin.ts";
import type { Places, TransformsOf } from "./places.ts";
import { hasPlaceFor } from "./property-path.ts";

/**
 * Options of every component here.
 *
 * Provider, protect, retainOnDelete, deletedWith, transforms and aliases reach the children through Pulumi. The
 * component itself hands these on, and does not apply them to itself:
 *
 * - `ignoreChanges`, `replaceOnChanges`: paths in a child, such as `spec.replicas`. A path goes to every child
 *   that has the place it points into; for one child use `transform`.
 * - `customTimeouts`, `additionalSecretOutputs`: to every child.
 */
export interface ComponentOptions<P extends Places = Record<never, never>>
  extends pulumi.ComponentResourceOptions {
  /** Names of outputs of the children that are kept as secrets, `status` for example. */
  additionalSecretOutputs?: string[];
  /** Changes to the children that the arguments have no word for, by what they are for, as in `nodes`. */
  transform?: TransformsOf<P>;
  /** Pod plugins of the program, for `plugins` to name beside the built-in ones. */
  podPlugins?: readonly DefinedPodPlugin[];
}

/** What the component keeps for itself. */
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

/** What one child gets of the component's options. Only paths with a place in it: the engine refuses others. */
export function handedOn(opts: ComponentOptions, manifest: Manifest): pulumi.CustomResourceOptions {
  const handed: pulumi.CustomResourceOptions = {};
  if (opts.ignoreChanges) handed.ignoreChanges = pathsIn(manifest, opts.ignoreChanges);
  if (opts.replaceOnChanges) handed.replaceOnChanges = pathsIn(manifest, opts.replaceOnChanges);
  if (opts.customTimeouts) handed.customTimeouts = opts.customTimeouts;
  if (opts.additionalSecretOutputs) handed.additionalSecretOutputs = opts.additionalSecretOutputs;
  return handed;
}

const pathsIn = (manifest: Manifest, paths: readonly string[]) =>
  paths.filter((path) => hasPlaceFor(path, manifest));
