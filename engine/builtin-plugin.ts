import { containsSecrets, type PropertyMap } from "./property-value.ts";
import type { Provider, ProviderPlugin } from "./provider.ts";

/** Returns the outputs of a stack by its name in a StackReference; `undefined` if there is no such stack. */
export type StackOutputsLookup = (name: string) => Promise<PropertyMap | undefined>;

const STACK_REFERENCE = "pulumi:pulumi:StackReference";

/** The package `pulumi`, whose provider is the engine: stack references. */
export function builtinPlugin(outputsOf: StackOutputsLookup): ProviderPlugin {
  return {
    checkConfig: () => [],
    diffConfig: () => ({ changed: [], replace: [] }),
    configure: () => builtinProvider(outputsOf),
  };
}

function builtinProvider(outputsOf: StackOutputsLookup): Provider {
  const refuse = async (): Promise<never> => {
    throw new Error("resources of package pulumi cannot be created, only stack references be read");
  };
  return {
    check: async ({ newInputs }) => ({ inputs: newInputs, failures: [] }),
    diff: async () => ({ changed: [], replace: [], deleteBeforeReplace: false }),
    create: refuse,
    update: refuse,
    async read({ urn, id }) {
      if (!urn.includes(STACK_REFERENCE)) return refuse();
      const outputs = await outputsOf(id);
      if (outputs === undefined) {
        throw new Error(
          `stack reference ${JSON.stringify(id)}: there is no such stack in this state store; run its up first`,
        );
      }
      const secretOutputNames = Object.keys(outputs).filter((key) => containsSecrets(outputs[key]));
      return { id, inputs: { name: id }, outputs: { name: id, outputs, secretOutputNames } };
    },
    delete: async () => {},
    findInterruptedCreate: async () => undefined,
    invoke: async (token) => {
      throw new Error(`function ${token} is not supported by the local engine`);
    },
  };
}
