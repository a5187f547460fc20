import type { types } from "@pulumi/kubernetes";
import { getVersion } from "@pulumi/kubernetes/utilities.js";
import * as pulumi from "@pulumi/pulumi";
import type { KindFacts } from "../../kubernetes/kinds/kind.ts";

/** Metadata of an object, as written in a program. */
export type ObjectMeta = types.input.meta.v1.ObjectMeta;

const providerVersion = getVersion();

/**
 * Returns the options that a kind needs. Options set by the program take precedence.
 *
 * The version is the version of the installed @pulumi/kubernetes, so that all Kubernetes resources of a program share
 * one default provider.
 */
export function kindOptions(
  facts: KindFacts,
  metadata: pulumi.Input<ObjectMeta> | undefined,
  opts: pulumi.CustomResourceOptions | undefined,
): pulumi.CustomResourceOptions {
  return pulumi.mergeOptions(
    { version: providerVersion, ...replacementOptions(facts, metadata) },
    opts,
  );
}

/** Returns the options for replacing an object when an immutable field changes. */
export function replacementOptions(
  facts: KindFacts,
  metadata: pulumi.Input<ObjectMeta> | undefined,
): pulumi.CustomResourceOptions {
  const deleteBeforeReplace = facts.replace === "delete-first" || hasFixedName(metadata);
  return {
    ...(facts.immutable.length > 0 ? { replaceOnChanges: [...facts.immutable] } : {}),
    ...(deleteBeforeReplace ? { deleteBeforeReplace } : {}),
  };
}

/** Two objects with one name cannot exist together, so the old one must be deleted first. */
function hasFixedName(metadata: pulumi.Input<ObjectMeta> | undefined): boolean {
  if (metadata === undefined || pulumi.Output.isInstance(metadata)) return false;
  return "name" in metadata && metadata.name !== undefined;
}
