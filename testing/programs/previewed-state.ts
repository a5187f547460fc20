import {
  containsSecrets,
  isMap,
  isProviderType,
  isSecret,
  mapValue,
  type ProgramFunction,
  type RecordedResource,
  recordProgram,
  secret,
  withoutSecrets,
} from "../../recorder/index.ts";

/**
 * STAND-IN for `pulumi stack export --show-secrets` after `up`: the objects of a program as a recording contains them. It has no
 * fields that only an API server sets.
 */
export async function previewedState(run: ProgramFunction) {
  const { resources, diagnostics } = await recordProgram({
    project: "p",
    stack: "s",
    program: { run },
  });
  const [error] = diagnostics.filter(({ severity }) => severity === "error");
  if (error !== undefined) throw new Error(error.message);
  return { version: 3, deployment: { manifest: {}, resources: resources.map(stateOf) } };
}

/** Returns inputs as the Kubernetes provider writes them: a list with a secret in it is a secret. */
export const providerInputs = (type: string, properties: object): unknown =>
  mapValue(withQuantities(type, properties), (value) =>
    Array.isArray(value) && containsSecrets(value)
      ? { value: secret(withoutSecrets(value)) }
      : undefined,
  );

/** The provider writes quantities of the kinds that Kubernetes has itself as strings. */
function withQuantities(type: string, properties: object): unknown {
  if (!/^kubernetes:(core|apps|batch)\//.test(type)) return properties;
  return JSON.parse(JSON.stringify(properties), (key, value) =>
    (key === "requests" || key === "limits") && isMap(value)
      ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, String(each)]))
      : value,
  );
}

const unknownId = /::[^:]*$/;

function stateOf({ urn, type, name, parent, properties, provider = "" }: RecordedResource) {
  const inputs = mapValue(providerInputs(type, properties), (value) =>
    isSecret(value)
      ? { value: { ...value, value: undefined, plaintext: JSON.stringify(value.value) } }
      : undefined,
  ) as RecordedResource["properties"];
  const custom = isProviderType(type) || provider !== "";
  return {
    ...{ urn, type, custom, inputs },
    // The provider reads its last inputs from the outputs.
    outputs: provider === "" ? inputs : { ...inputs, __inputs: inputs },
    ...(custom && { id: isProviderType(type) ? "id" : name }),
    ...(parent !== "" && { parent }),
    ...(provider !== "" && { provider: provider.replace(unknownId, "::id") }),
  };
}
