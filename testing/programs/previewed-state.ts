import { isDeepStrictEqual } from "node:util";
import {
  isMap,
  isProviderType,
  isSecret,
  mapValue,
  type ProgramFunction,
  type RecordedResource,
  recordProgram,
  secret,
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

const revealed = (value: unknown): unknown =>
  mapValue(value, (part) => (isSecret(part) ? { value: revealed(part.value) } : undefined));

const hasSecret = (value: unknown): boolean => !isDeepStrictEqual(value, revealed(value));

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
  const inputs = mapValue(withQuantities(type, properties), (value) => {
    // The provider makes a list with a secret in it a secret.
    const part = Array.isArray(value) && hasSecret(value) ? secret(revealed(value)) : value;
    if (!isSecret(part)) return undefined;
    return { value: { ...part, value: undefined, plaintext: JSON.stringify(part.value) } };
  }) as RecordedResource["properties"];
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
