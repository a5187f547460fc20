import type { Diagnostic } from "./event.ts";
import type { PropertyMap } from "./property-value.ts";

/** Resource in the form that policies receive. Special values are marked as in property-value.ts. */
export interface AnalyzedResource {
  urn: string;
  type: string;
  name: string;
  parent: string;
  /** Checked inputs before a step; outputs in `analyzeStack`. */
  properties: PropertyMap;
  provider?: string;
  dependencies: readonly string[];
  propertyDependencies: Readonly<Record<string, readonly string[]>>;
}

/** Policies that check every resource of a preview or an update. An error diagnostic fails the resource. */
export interface Analyzer {
  /** Returns properties to use instead of the resource's, or `undefined`. */
  remediate?(resource: AnalyzedResource): Promise<PropertyMap | undefined>;
  analyze?(resource: AnalyzedResource): Promise<Diagnostic[]>;
  /** Checks the stack. Called once, when all resources have their outputs. */
  analyzeStack?(resources: AnalyzedResource[]): Promise<Diagnostic[]>;
}
