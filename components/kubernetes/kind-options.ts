import type { types } from "@pulumi/kubernetes";
import { getVersion } from "@pulumi/kubernetes/utilities.js";
import * as pulumi from "@pulumi/pulumi";
import type { KindFacts } from "../../kubernetes/kinds/kind.ts";

/** Metadata of an object as a program writes it. */
export type ObjectMeta = types.input.meta.v1.ObjectMeta;

const providerVersion = getVersion();

/**
 * The options that a kind's facts imply, under the program's own.
 *
 * The version is that of the installed @pulumi/kubernetes, so that every resource of a program shares one
 * default provider with the resources of that package.
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

/** How a changed immutable field replaces an object. */
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

/** Two objects of one name cannot stand beside each other, so the old one has to go first. */
function hasFixedName(metadata: pulumi.Input<ObjectMeta> | undefined): boolean {
  if (metadata === undefined || pulumi.Output.isInstance(metadata)) return false;
  return "name" in metadata && metadata.name !== undefined;
}
