import { packageOf, parseProviderReference, parseUrn } from "../urn.ts";
import type { Registration } from "./registration.ts";
import type { Callback } from "./transforms.ts";

/** The options that a registered resource passes to its children. */
interface Ancestor {
  parent: string;
  provider: string;
  protect: boolean | undefined;
  retainOnDelete: boolean | undefined;
  deletedWith: string;
  /** The providers of components; empty for other resources. */
  providers: ReadonlyMap<string, string>;
  transforms: readonly Callback[];
}

/** Inheritance of options from a parent: only the options for which the engine is responsible. */
export class Inheritance {
  readonly #ancestors = new Map<string, Ancestor>();

  /** Sets the unset options of a registration from its parent, before transforms run. */
  apply(registration: Registration): void {
    const { type, custom, parent, options } = registration;
    const from = this.#ancestors.get(parent);
    if (from === undefined) return;
    if (options.getDeletedWith() === "") options.setDeletedWith(from.deletedWith);
    if (!options.hasProtect() && from.protect !== undefined) options.setProtect(from.protect);
    if (!options.hasRetainOnDelete() && from.retainOnDelete !== undefined) {
      options.setRetainOnDelete(from.retainOnDelete);
    }
    if (options.getProvider() === "" && from.provider !== "") {
      const { urn } = parseProviderReference(from.provider);
      if (!custom || packageOf(parseUrn(urn).type) === packageOf(type)) {
        options.setProvider(from.provider);
      }
    }
    if (custom && options.getProvider() === "") {
      const name = packageOf(type);
      options.setProvider(options.getProvidersMap().get(name) ?? from.providers.get(name) ?? "");
    }
  }

  /** Components add their parent's providers to their own. */
  addProviders({ custom, parent, options }: Registration): void {
    if (custom) return;
    const own = options.getProvidersMap();
    for (const [name, reference] of this.#ancestors.get(parent)?.providers ?? []) {
      if (!own.has(name)) own.set(name, reference);
    }
  }

  /** The transforms of all ancestors, the nearest first. */
  transformsAbove(parent: string): Callback[] {
    const found: Callback[] = [];
    for (let urn = parent; urn !== ""; urn = this.#ancestors.get(urn)?.parent ?? "") {
      found.push(...(this.#ancestors.get(urn)?.transforms ?? []));
    }
    return found;
  }

  remember(
    urn: string,
    { custom, parent, options }: Registration,
    provider: string,
    transforms: readonly Callback[],
  ): void {
    this.#ancestors.set(urn, {
      parent,
      provider,
      protect: options.hasProtect() ? options.getProtect() : undefined,
      retainOnDelete: options.hasRetainOnDelete() ? options.getRetainOnDelete() : undefined,
      deletedWith: options.getDeletedWith(),
      providers: new Map(custom ? [] : [...options.getProvidersMap().entries()]),
      transforms,
    });
  }
}
