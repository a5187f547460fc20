import {
  type AnalyzedResource,
  isProviderType,
  isSecret,
  mapValue,
  memoryState,
  openStack,
  type ProgramFunction,
  type ResourceState,
} from "../../engine/index.ts";

/**
 * STAND-IN for `pulumi stack export --show-secrets` after `up`: the objects of a program as a preview without a cluster plans
 * them. It has no fields that only an API server sets.
 */
export async function previewedState(run: ProgramFunction) {
  const resources: ResourceState[] = [];
  const stack = openStack({
    ...{ project: "p", stack: "s", program: { run }, state: memoryState(), offline: true },
    analyzer: {
      async analyze(resource) {
        resources.push(stateOf(resource));
        return [];
      },
    },
  });
  const { diagnostics } = await stack.preview();
  const [error] = diagnostics.filter(({ severity }) => severity === "error");
  if (error !== undefined) throw new Error(error.message);
  return { version: 3, deployment: { manifest: {}, resources } };
}

const unknownId = /::[^:]*$/;

function stateOf({ urn, type, name, parent, properties, provider = "" }: AnalyzedResource) {
  const inputs = mapValue(properties, (value) =>
    isSecret(value)
      ? { value: { ...value, value: undefined, plaintext: JSON.stringify(value.value) } }
      : undefined,
  ) as AnalyzedResource["properties"];
  const custom = isProviderType(type) || provider !== "";
  return {
    ...{ urn, type, custom, inputs, outputs: inputs },
    ...(custom && { id: isProviderType(type) ? "id" : name }),
    ...(parent !== "" && { parent }),
    ...(provider !== "" && { provider: provider.replace(unknownId, "::id") }),
  };
}
