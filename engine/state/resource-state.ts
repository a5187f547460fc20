import type { PropertyMap, PropertyValue } from "../property-value.ts";

/** Durations in seconds, as the state keeps them. */
export interface CustomTimeouts {
  create?: number;
  update?: number;
  delete?: number;
  read?: number;
}

/** One resource of a stack, with the fields of `pulumi stack export` (version 3). */
export interface ResourceState {
  urn: string;
  custom: boolean;
  /** Replaced, and still to be deleted. */
  delete?: boolean;
  id?: string;
  type: string;
  inputs?: PropertyMap;
  outputs?: PropertyMap;
  parent?: string;
  protect?: boolean;
  /** Read by the program, not managed by it. */
  external?: boolean;
  dependencies?: string[];
  /** Why the object, which exists, was not ready. */
  initErrors?: string[];
  provider?: string;
  propertyDependencies?: Record<string, string[]>;
  /** Deleted before its replacement was made. */
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

/** A write to the cluster that was begun and whose outcome is not recorded. */
export interface PendingOperation {
  resource: ResourceState;
  type: PendingType;
}

/** What identifies a resource in a snapshot: a replaced one and its successor share their URN. */
export function stateKey({ urn, delete: replaced, id }: ResourceState): string {
  return replaced ? `${urn} replaced ${id ?? ""}` : urn;
}

/** Every URN a resource needs to exist, with repetitions. */
export function referencesOf(resource: ResourceState): string[] {
  return [
    resource.parent,
    resource.provider?.slice(0, resource.provider.lastIndexOf("::")),
    resource.deletedWith,
    ...(resource.dependencies ?? []),
    ...Object.values(resource.propertyDependencies ?? {}).flat(),
  ].filter((urn): urn is string => urn !== undefined && urn !== "");
}
