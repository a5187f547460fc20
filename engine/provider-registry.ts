import { randomUUID } from "node:crypto";
import { type PropertyMap, sameValue, UNKNOWN } from "./property-value.ts";
import type { CheckFailure, Diff, Provider, ProviderPlugin } from "./provider.ts";
import type { ResourceState } from "./state/resource-state.ts";
import { isProviderType, packageOf, parseProviderReference, providerType } from "./urn.ts";

/** Key of provider inputs that the engine uses and does not pass to providers. */
const INTERNAL = "__internal";

/** The providers of an operation by reference, and their resources in the state. */
export class ProviderRegistry {
  readonly #plugins: Readonly<Record<string, ProviderPlugin>>;
  readonly #before: (urn: string) => ResourceState | undefined;
  readonly #now: (urn: string) => ResourceState | undefined;
  readonly #configured = new Map<string, Provider>();

  constructor(
    plugins: Readonly<Record<string, ProviderPlugin>>,
    state: {
      /** Returns a provider resource as it was at the start of the operation. */
      before(urn: string): ResourceState | undefined;
      /** Returns a provider resource as it is now. */
      now(urn: string): ResourceState | undefined;
    },
  ) {
    this.#plugins = plugins;
    this.#before = state.before;
    this.#now = state.now;
  }

  /** Returns the provider of a custom resource; for a provider resource, the provider that manages it. */
  providerFor(type: string, reference: string): Provider {
    return isProviderType(type)
      ? this.#providerResources(packageOf(type))
      : this.#referenced(type, reference);
  }

  /** Whether moving resources from one provider to another requires their replacement. */
  replacesResources(oldReference: string, newReference: string): boolean {
    if (oldReference === newReference) return false;
    const oldProvider = this.#before(parseProviderReference(oldReference).urn);
    const newProvider = this.#now(parseProviderReference(newReference).urn);
    if (oldProvider === undefined || newProvider === undefined) return true;
    const plugin = this.#plugin(packageOf(newProvider.type));
    return plugin.diffConfig(configs(oldProvider.inputs, newProvider.inputs)).replace.length > 0;
  }

  /** Makes a provider resource available as `urn::id`. */
  configure(urn: string, id: string, type: string, inputs: PropertyMap): void {
    const provider = this.#plugin(packageOf(type)).configure({ urn, inputs: config(inputs) });
    this.#configured.set(`${urn}::${id || UNKNOWN}`, provider);
  }

  #plugin(packageName: string): ProviderPlugin {
    const plugin = this.#plugins[packageName];
    if (plugin === undefined) {
      throw new Error(
        `package ${JSON.stringify(packageName)} is not supported by the local engine, which manages ${Object.keys(this.#plugins).join(", ")}; use the Pulumi CLI for this program`,
      );
    }
    return plugin;
  }

  #referenced(type: string, reference: string): Provider {
    const known = this.#configured.get(reference);
    if (known !== undefined) return known;
    const { urn, id } = parseProviderReference(reference);
    // A deletion may need a provider that the program no longer registers.
    const state = this.#before(urn);
    if (state === undefined || state.id !== id) {
      throw new Error(
        `provider ${reference} of a resource of type ${type} is neither registered nor in the state`,
      );
    }
    this.configure(urn, id, state.type, state.inputs ?? {});
    return this.#referenced(type, reference);
  }

  #providerResources(packageName: string): Provider {
    const plugin = this.#plugin(packageName);
    const type = providerType(packageName);
    return {
      async check({ urn, newInputs }) {
        const failures: CheckFailure[] = plugin.checkConfig({ urn, inputs: config(newInputs) });
        return { inputs: newInputs, failures };
      },
      async diff({ oldInputs, newInputs }): Promise<Diff> {
        const { changed, replace } = plugin.diffConfig(configs(oldInputs, newInputs));
        return {
          changed: changed.map((key) => [key]),
          replace: replace.map((key) => [key]),
          deleteBeforeReplace: false,
        };
      },
      create: async ({ urn, inputs, preview }) => {
        const id = preview ? "" : randomUUID();
        this.configure(urn, id, type, inputs);
        return { id, outputs: config(inputs) };
      },
      update: async ({ urn, id, inputs }) => {
        this.configure(urn, id, type, inputs);
        return { outputs: config(inputs) };
      },
      read: async ({ id, inputs = {}, outputs = {} }) => ({ id, inputs, outputs }),
      delete: async () => {},
      findInterruptedCreate: async () => undefined,
      invoke: async (token) => {
        throw new Error(`function ${token} does not exist`);
      },
    };
  }
}

function config(inputs: PropertyMap): PropertyMap {
  const { [INTERNAL]: _internal, ...rest } = inputs;
  return rest;
}

function configs(oldInputs: PropertyMap = {}, newInputs: PropertyMap = {}) {
  return { oldInputs: config(oldInputs), newInputs: config(newInputs) };
}

/** Adds the version of a provider's package to its inputs, with a marker that the engine has added it. */
export function withProviderVersion(inputs: PropertyMap, version: string): PropertyMap {
  return version === "" ? inputs : { ...inputs, [INTERNAL]: {}, version };
}

/** Returns the keys in which two configurations differ. */
export function changedKeys(oldInputs: PropertyMap, newInputs: PropertyMap): string[] {
  const keys = new Set([...Object.keys(oldInputs), ...Object.keys(newInputs)]);
  return [...keys].filter((key) => !sameValue(oldInputs[key], newInputs[key]));
}
