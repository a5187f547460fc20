import { parseDuration } from "../kubernetes/values/duration.ts";
import type { Alias } from "./aliases.ts";
import type { PropertyMap, PropertyValue } from "./property-value.ts";
import type { CustomTimeouts } from "./state/resource-state.ts";

/** Operations of one resource before and after which a program may run code. */
export type HookPhase = "beforeCreate" | "afterCreate" | "beforeUpdate" | "afterUpdate";

/** The values of a resource that its hooks receive. */
export interface HookArgs {
  urn: string;
  id: string;
  name: string;
  type: string;
  oldInputs?: PropertyMap;
  newInputs?: PropertyMap;
  oldOutputs?: PropertyMap;
  newOutputs?: PropertyMap;
}

/** Runs the program's hooks of one phase. Throws the error of the first hook that fails. */
export type RunHooks = (phase: HookPhase, args: HookArgs) => Promise<void>;

/** The desired state of one resource: a registration after inheritance and transforms. */
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
  aliases: Alias[];
  ignoreChanges: string[];
  replaceOnChanges: string[];
  additionalSecretOutputs: string[];
  customTimeouts: CustomTimeouts;
  /** If `undefined`, the provider decides. */
  deleteBeforeReplace: boolean | undefined;
  protect: boolean | undefined;
  retainOnDelete: boolean | undefined;
  deletedWith: string;
  replacementTrigger: PropertyValue;
  sourcePosition: string;
  /** Undefined if the resource has no hooks. */
  runHooks?: RunHooks | undefined;
}

/** The id and type of an existing object that the program only reads. */
export interface ReadGoal {
  type: string;
  name: string;
  parent: string;
  id: string;
  inputs: PropertyMap;
  dependencies: string[];
  provider: string;
  additionalSecretOutputs: string[];
  sourcePosition: string;
}

/** Returns the seconds of a duration in Go's format: `20m`, `1h30m`, `45s`, `1.5h`. */
export function durationSeconds(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds !== undefined) return milliseconds / 1000;
  throw new Error(
    `duration ${JSON.stringify(text)} cannot be read; write it like 20m, 1h30m or 45s`,
  );
}
