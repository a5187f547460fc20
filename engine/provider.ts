import type { PropertyPath } from "../kubernetes/values/property-path.ts";
import type { PropertyMap } from "./property-value.ts";

export interface CheckFailure {
  /** The property, or empty for the whole resource. */
  property: string;
  reason: string;
}

export interface Diff {
  /** Paths that change. Empty means that nothing does. */
  changed: PropertyPath[];
  /** Those of `changed` that cannot change in place. */
  replace: PropertyPath[];
  /** A replacement has to delete the old object first, as both would have one name. */
  deleteBeforeReplace: boolean;
}

export interface CreateResult {
  /** Empty in previews. */
  id: string;
  outputs: PropertyMap;
  /** Why the object, which exists, is not ready. */
  initErrors?: string[];
}

export interface ReadResult {
  id: string;
  inputs: PropertyMap;
  outputs: PropertyMap;
  initErrors?: string[];
}

/** A write was sent and no answer came: it may have happened. */
export class OutcomeUnknownError extends Error {
  override readonly name = "OutcomeUnknownError";
}

/** What a provider may tell while it works on a resource. */
export interface ProviderLog {
  /** Progress that the next message overwrites. */
  status(message: string): void;
  warning(message: string): void;
}

/** Manages the resources of one package with one configuration. Values are marked as in property-value.ts. */
export interface Provider {
  /** Completes and validates inputs: names, namespaces. `oldInputs` is absent for a new resource. */
  check(request: {
    urn: string;
    oldInputs?: PropertyMap;
    newInputs: PropertyMap;
    log: ProviderLog;
  }): Promise<{ inputs: PropertyMap; failures: CheckFailure[] }>;
  diff(request: {
    urn: string;
    oldInputs: PropertyMap;
    oldOutputs: PropertyMap;
    newInputs: PropertyMap;
  }): Promise<Diff>;
  create(request: {
    urn: string;
    inputs: PropertyMap;
    preview: boolean;
    timeoutSeconds?: number;
    log: ProviderLog;
  }): Promise<CreateResult>;
  update(request: {
    urn: string;
    id: string;
    oldInputs: PropertyMap;
    oldOutputs: PropertyMap;
    inputs: PropertyMap;
    ignoreChanges: readonly string[];
    preview: boolean;
    timeoutSeconds?: number;
    log: ProviderLog;
  }): Promise<Omit<CreateResult, "id">>;
  /** The live resource, or `undefined` if there is none. Without inputs and outputs only the id is known. */
  read(request: {
    urn: string;
    id: string;
    inputs?: PropertyMap;
    outputs?: PropertyMap;
    log: ProviderLog;
  }): Promise<ReadResult | undefined>;
  /** Resolves when the object is gone, also if it was gone before. */
  delete(request: {
    urn: string;
    id: string;
    inputs: PropertyMap;
    outputs: PropertyMap;
    timeoutSeconds?: number;
    log: ProviderLog;
  }): Promise<void>;
  /** Finds the object of a create that was begun at a time and never recorded. */
  findInterruptedCreate(request: {
    urn: string;
    inputs: PropertyMap;
    since: Date;
    log: ProviderLog;
  }): Promise<ReadResult | undefined>;
  invoke(token: string, args: PropertyMap): Promise<PropertyMap>;
}

/** Makes the providers of a package from their configurations. */
export interface ProviderPlugin {
  checkConfig(request: { urn: string; inputs: PropertyMap }): CheckFailure[];
  /** Properties that differ, and those for which every resource has to be replaced. */
  diffConfig(request: { oldInputs: PropertyMap; newInputs: PropertyMap }): {
    changed: string[];
    replace: string[];
  };
  configure(request: { urn: string; inputs: PropertyMap }): Provider;
}
