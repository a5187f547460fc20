import * as pulumi from "@pulumi/pulumi";
import * as components from "../index.ts";
import { plainArguments } from "./plain-arguments.ts";

interface Schema {
  readonly version: string;
  readonly resources: Readonly<Record<string, { readonly properties: object }>>;
}

type Component = new (
  name: string,
  args: pulumi.Inputs,
  opts: pulumi.ComponentResourceOptions,
) => pulumi.ComponentResource;

/**
 * The components as a provider with a schema. Pulumi's own component provider derives the schema from TypeScript source when
 * it starts. This provider serves a file instead, so the package needs no source, and only a release changes the schema.
 */
export function componentProvider(text: string): pulumi.provider.Provider {
  const { version, resources } = JSON.parse(text) as Schema;
  return {
    version,
    schema: text,
    getSchema: async () => text,
    async construct(name, type, inputs, options) {
      const resource = resources[type];
      const component = componentOf(type);
      if (resource === undefined || component === undefined) {
        throw new pulumi.RunError(
          `${name}: type is ${type}; allowed: ${Object.keys(resources).join(", ")}. Use the package of version ${version}.`,
        );
      }
      const { args, dependsOn } = await plainArguments(inputs);
      const made = new component(name, args, {
        ...options,
        dependsOn: [...((options.dependsOn ?? []) as pulumi.Resource[]), ...dependsOn],
      });
      const outputs = made as unknown as Readonly<Record<string, pulumi.Input<unknown>>>;
      const state = Object.fromEntries(
        Object.keys(resource.properties).map((property) => [property, outputs[property]]),
      );
      return { urn: made.urn, state };
    },
  };
}

/** Returns the class of a type such as `inference:index:InferenceService`. */
function componentOf(type: string): Component | undefined {
  const exported = Object.entries(components).find(
    ([, value]) =>
      typeof value === "function" && "__pulumiType" in value && value.__pulumiType === type,
  );
  return exported?.[1] as Component | undefined;
}
