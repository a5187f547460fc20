import * as pulumi from "@pulumi/pulumi";

/** Arguments for a component, and the resources that their values come from. */
export interface PlainArguments {
  readonly args: pulumi.Inputs;
  readonly dependsOn: readonly pulumi.Resource[];
}

/** State of an Output, which its declaration leaves out. */
interface OutputState {
  readonly isKnown: Promise<boolean>;
  promise(): Promise<unknown>;
}

/**
 * Replaces Outputs that are known objects or lists by their values. The SDK of Java sends an argument with an Output anywhere in
 * it as a single Output, and components need to know which objects an argument describes. Unknown values, secrets and
 * single values stay Outputs, as they are in TypeScript.
 */
export async function plainArguments(inputs: pulumi.Inputs): Promise<PlainArguments> {
  const args: pulumi.Inputs = {};
  const dependsOn = new Set<pulumi.Resource>();
  for (const [name, value] of Object.entries(inputs)) {
    args[name] = value;
    if (!pulumi.Output.isInstance(value)) continue;
    const { isKnown, promise } = value as unknown as OutputState;
    if (!(await isKnown) || (await pulumi.isSecret(value))) continue;
    const known = await promise.call(value);
    if (typeof known !== "object" || known === null) continue;
    args[name] = known;
    for (const resource of await pulumi.getAllResources(value)) dependsOn.add(resource);
  }
  return { args, dependsOn: [...dependsOn] };
}
