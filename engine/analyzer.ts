import type { Diagnostic } from "./event.ts";
import type { PropertyMap } from "./property-value.ts";

/** A resource as policies see it. Values are marked as in property-value.ts. */
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

/** Policies, asked about every resource of a preview or an update. An error diagnostic fails the resource. */
export interface Analyzer {
  /** Properties to use instead, or `undefined`. */
  remediate?(resource: AnalyzedResource): Promise<PropertyMap | undefined>;
  analyze?(resource: AnalyzedResource): Promise<Diagnostic[]>;
  /** Asked once, when all resources have their outputs. */
  analyzeStack?(resources: AnalyzedResource[]): Promise<Diagnostic[]>;
}
