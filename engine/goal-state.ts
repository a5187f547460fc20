import type { Goal, ReadGoal } from "./goal.ts";
import { mapMap, type PropertyMap, secret } from "./property-value.ts";
import type { ResourceState } from "./state/resource-state.ts";

/** Returns the state of a goal before a provider has responded. Empty fields are omitted, as in the CLI. */
export function goalState(urn: string, goal: Goal, inputs: PropertyMap): ResourceState {
  return {
    urn,
    custom: goal.custom,
    type: goal.type,
    inputs,
    ...(goal.parent !== "" && { parent: goal.parent }),
    ...(goal.provider !== "" && { provider: goal.provider }),
    ...(goal.dependencies.length > 0 && { dependencies: [...goal.dependencies] }),
    ...(Object.keys(goal.propertyDependencies).length > 0 && {
      propertyDependencies: goal.propertyDependencies,
    }),
    ...(goal.protect && { protect: true }),
    ...(goal.retainOnDelete && { retainOnDelete: true }),
    ...(goal.deletedWith !== "" && { deletedWith: goal.deletedWith }),
    ...(goal.ignoreChanges.length > 0 && { ignoreChanges: goal.ignoreChanges }),
    ...(goal.replaceOnChanges.length > 0 && { replaceOnChanges: goal.replaceOnChanges }),
    ...(goal.additionalSecretOutputs.length > 0 && {
      additionalSecretOutputs: goal.additionalSecretOutputs,
    }),
    ...(Object.keys(goal.customTimeouts).length > 0 && { customTimeouts: goal.customTimeouts }),
    ...(goal.replacementTrigger !== undefined && { replacementTrigger: goal.replacementTrigger }),
    ...(goal.sourcePosition !== "" && { sourcePosition: goal.sourcePosition }),
  };
}

/** Returns the state of a resource that is only read. */
export function readState(urn: string, goal: ReadGoal, inputs: PropertyMap): ResourceState {
  return {
    urn,
    custom: true,
    external: true,
    type: goal.type,
    inputs,
    ...(goal.parent !== "" && { parent: goal.parent }),
    ...(goal.provider !== "" && { provider: goal.provider }),
    ...(goal.dependencies.length > 0 && { dependencies: goal.dependencies }),
    ...(goal.additionalSecretOutputs.length > 0 && {
      additionalSecretOutputs: goal.additionalSecretOutputs,
    }),
    ...(goal.sourcePosition !== "" && { sourcePosition: goal.sourcePosition }),
  };
}

/** Adds the provider's result to a state. */
export function withResult(
  state: ResourceState,
  { id, outputs, initErrors = [] }: { id: string; outputs: PropertyMap; initErrors?: string[] },
): ResourceState {
  const hidden = new Set(state.additionalSecretOutputs);
  return {
    ...state,
    id,
    outputs: mapMap(outputs, (value, key) => (hidden.has(key) ? secret(value) : value)),
    ...(initErrors.length > 0 && { initErrors }),
  };
}

/** Sets the times of creation and last change. An unchanged state keeps its times. */
export function withTimes(
  state: ResourceState,
  old: ResourceState | undefined,
  changed: boolean,
): ResourceState {
  const now = new Date().toISOString();
  return {
    ...state,
    created: old?.created ?? now,
    modified: changed ? now : (old?.modified ?? now),
  };
}
