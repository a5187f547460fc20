import type { PropertyMap } from "./property-value.ts";

/** Operations of one resource before and after which a program may run code. */
export type HookPhase = "beforeCreate" | "afterCreate";

/** The values of a resource that its hooks receive. */
export interface HookArgs {
  urn: string;
  id: string;
  name: string;
  type: string;
  newInputs: PropertyMap;
  newOutputs?: PropertyMap;
}

/** Runs the program's hooks of one phase. Throws the error of the first hook that fails. */
export type RunHooks = (phase: HookPhase, args: HookArgs) => Promise<void>;

/** A registration after inheritance and transforms. */
export interface Goal {
  type: string;
  name: string;
  custom: boolean;
  /** URN of the parent; empty for the stack itself and for default providers. */
  parent: string;
  inputs: PropertyMap;
  dependencies: string[];
  propertyDependencies: Record<string, string[]>;
  /** Reference of the provider; empty for components and providers. */
  provider: string;
  additionalSecretOutputs: string[];
  /** Undefined if the resource has no hooks. */
  runHooks?: RunHooks | undefined;
}

/** An existing object that the program only reads. */
export type ReadGoal = Pick<Goal, "type" | "name" | "parent"> & { id: string };
