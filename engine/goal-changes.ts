import type { Goal } from "./goal.ts";
import { ignoringChanges, replacedOnChanges } from "./property-options.ts";
import { formatPath } from "./property-path.ts";
import { containsUnknowns, type PropertyMap, sameValue } from "./property-value.ts";
import type { Diff, Provider, ProviderLog } from "./provider.ts";
import type { ProviderRegistry } from "./provider-registry.ts";
import type { ResourceState } from "./state/resource-state.ts";

/** The changes that a goal makes to a resource, as its provider and the resource's options determine them. */

interface GoalToCheck {
  readonly urn: string;
  readonly goal: Goal;
  /** The resource that is updated; undefined for a new one. */
  readonly old: ResourceState | undefined;
  readonly preview: boolean;
  readonly log: ProviderLog;
}

/**
 * Returns the goal's inputs with the provider's defaults.
 *
 * @throws Error if the provider refuses them, or if an update has unknown inputs
 */
export async function checkedInputs(
  provider: Provider,
  { urn, goal, old, preview, log }: GoalToCheck,
): Promise<PropertyMap> {
  const { inputs: oldInputs = {} } = old ?? {};
  const { inputs, failures } = await provider.check({
    urn,
    newInputs: old ? ignoringChanges(goal.inputs, oldInputs, goal.ignoreChanges) : goal.inputs,
    ...(old && { oldInputs }),
    log,
  });
  if (failures.length > 0) {
    const lines = failures.map(({ property, reason }) =>
      property ? `${property}: ${reason}` : reason,
    );
    throw new Error(lines.join("\n"));
  }
  if (!preview && containsUnknowns(inputs)) {
    throw new Error(
      "an input is still unknown in an update; a transform returned a value of a preview",
    );
  }
  return inputs;
}

interface GoalToCompare {
  readonly goal: Goal;
  readonly old: ResourceState;
  /** The new state, with checked inputs. */
  readonly state: ResourceState;
  readonly registry: ProviderRegistry;
  /** URNs of the resources that the operation has replaced. */
  readonly replaced: ReadonlySet<string>;
}

/** Returns the provider's diff, with the replacements that the resource's options cause. */
export async function diffOfGoal(
  provider: Provider,
  { goal, old, state, registry, replaced }: GoalToCompare,
): Promise<Diff> {
  if (goal.provider !== "" && registry.replacesResources(old.provider ?? "", goal.provider))
    return { changed: [["provider"]], replace: [["provider"]], deleteBeforeReplace: false };
  const { urn, inputs: newInputs = {} } = state;
  const { inputs: oldInputs = {}, outputs: oldOutputs = {} } = old;
  const diff = await provider.diff({ urn, oldInputs, oldOutputs, newInputs });
  const causes = [
    ...(replaced.has(goal.deletedWith) ? ["deletedWith"] : []),
    ...(sameValue(old.replacementTrigger, goal.replacementTrigger) ? [] : ["replacementTrigger"]),
  ];
  const replace = [
    ...diff.replace,
    ...replacedOnChanges(diff.changed, goal.replaceOnChanges),
    ...causes.map((cause) => [cause]),
  ];
  return {
    ...diff,
    replace: [...new Map(replace.map((path) => [formatPath(path), path])).values()],
  };
}
