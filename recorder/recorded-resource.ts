import type { Diagnostic } from "./diagnostic.ts";
import type { PropertyMap } from "./property-value.ts";

/** A resource as the program registered it. Special values are marked as in property-value.ts. */
export interface RecordedResource {
  urn: string;
  type: string;
  name: string;
  /** URN of the parent; empty for the stack and for default providers. */
  parent: string;
  /** Inputs; in `analyzeStack`, the outputs that a preview knows. */
  properties: PropertyMap;
  /** Reference of the provider; absent for components and providers. */
  provider?: string;
  dependencies: readonly string[];
  propertyDependencies: Readonly<Record<string, readonly string[]>>;
}

/** Policies that check every resource of a program. An error diagnostic fails the resource. */
export interface Analyzer {
  /** Returns properties to use instead of the properties of the resource, or `undefined`. */
  remediate?(resource: RecordedResource): Promise<PropertyMap | undefined>;
  analyze?(resource: RecordedResource): Promise<Diagnostic[]>;
  /** Checks the stack. Called once, after the program has ended without an error. */
  analyzeStack?(resources: RecordedResource[]): Promise<Diagnostic[]>;
}
