import type { PropertyPath } from "../kubernetes/values/property-path.ts";
import type { PropertyMap } from "./property-value.ts";

export interface CheckFailure {
  /** The property, or empty for the whole resource. */
  property: string;
  reason: string;
}

export interface Diff {
  /** Changed paths; empty if there is no change. */
  changed: PropertyPath[];
  /** The paths in `changed` that cannot change in place. */
  replace: PropertyPath[];
  /** Whether a replacement must delete the old object first, because both would have the same name. */
  deleteBeforeReplace: boolean;
}

export interface CreateResult {
  /** Empty in previews. */
  id: string;
  outputs: PropertyMap;
  /** Reasons why the existing object is not ready. */
  initErrors?: string[];
}

export interface ReadResult {
  id: string;
  inputs: PropertyMap;
  outputs: PropertyMap;
  initErrors?: string[];
}

/** A write was sent but got no response, so it may have happened. */
export class OutcomeUnknownError extends Error {
  override readonly name = "OutcomeUnknownError";
}

/** Messages of a provider while it works on a resource. */
export interface ProviderLog {
  /** Reports progress, which the next message replaces. */
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
  /** Returns the live resource; `undefined` if there is none. Without inputs and outputs, only the id is known. */
  read(request: {
    urn: string;
    id: string;
    inputs?: PropertyMap;
    outputs?: PropertyMap;
    log: ProviderLog;
  }): Promise<ReadResult | undefined>;
  /** Resolves when the object is deleted, also if it did not exist. */
  delete(request: {
    urn: string;
    id: string;
    inputs: PropertyMap;
    outputs: PropertyMap;
    timeoutSeconds?: number;
    log: ProviderLog;
  }): Promise<void>;
  /** Finds the object of a create that began at a given time and was never recorded. */
  findInterruptedCreate(request: {
    urn: string;
    inputs: PropertyMap;
    since: Date;
    log: ProviderLog;
  }): Promise<ReadResult | undefined>;
  invoke(token: string, args: PropertyMap): Promise<PropertyMap>;
}

/** Creates the providers of a package from their configurations. */
export interface ProviderPlugin {
  checkConfig(request: { urn: string; inputs: PropertyMap }): CheckFailure[];
  /** Returns the differing properties, and those that require every resource to be replaced. */
  diffConfig(request: { oldInputs: PropertyMap; newInputs: PropertyMap }): {
    changed: string[];
    replace: string[];
  };
  configure(request: { urn: string; inputs: PropertyMap }): Provider;
}
