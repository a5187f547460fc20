import type { PropertyMap, PropertyValue } from "../property-value.ts";

/** Durations in seconds, as stored in the state. */
export interface CustomTimeouts {
  create?: number;
  update?: number;
  delete?: number;
  read?: number;
}

/** Resource of a stack, with the fields of `pulumi stack export` (version 3). */
export interface ResourceState {
  urn: string;
  custom: boolean;
  /** Whether the resource was replaced and must still be deleted. */
  delete?: boolean;
  id?: string;
  type: string;
  inputs?: PropertyMap;
  outputs?: PropertyMap;
  parent?: string;
  protect?: boolean;
  /** Whether the program only reads the resource and does not manage it. */
  external?: boolean;
  dependencies?: string[];
  /** Reasons that the existing object was not ready. */
  initErrors?: string[];
  provider?: string;
  propertyDependencies?: Record<string, string[]>;
  /** Whether the resource was deleted before its replacement was created. */
  pendingReplacement?: boolean;
  additionalSecretOutputs?: string[];
  /** Former URNs. */
  aliases?: string[];
  customTimeouts?: CustomTimeouts;
  retainOnDelete?: boolean;
  deletedWith?: string;
  created?: string;
  modified?: string;
  sourcePosition?: string;
  ignoreChanges?: string[];
  replaceOnChanges?: string[];
  replacementTrigger?: PropertyValue;
}

export type PendingType = "creating" | "updating" | "deleting";

/** Write to the cluster that was started and whose result is not recorded. */
export interface PendingOperation {
  resource: ResourceState;
  type: PendingType;
}

/** Returns the identity of a resource in a snapshot. A replaced resource and its successor have the same URN. */
export function stateKey({ urn, delete: replaced, id }: ResourceState): string {
  return replaced ? `${urn} replaced ${id ?? ""}` : urn;
}

/** Returns every URN that a resource depends on, possibly with duplicates. */
export function referencesOf(resource: ResourceState): string[] {
  return [
    resource.parent,
    resource.provider?.slice(0, resource.provider.lastIndexOf("::")),
    resource.deletedWith,
    ...(resource.dependencies ?? []),
    ...Object.values(resource.propertyDependencies ?? {}).flat(),
  ].filter((urn): urn is string => urn !== undefined && urn !== "");
}
