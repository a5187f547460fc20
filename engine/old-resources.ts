import { type Alias, aliasUrns, type Identity } from "./aliases.ts";
import type { ResourceState } from "./state/resource-state.ts";

/** The resources of a stack at the start of an operation, and the registered resources that continue them. */
export class OldResources {
  readonly #olds: ReadonlyMap<string, ResourceState>;
  readonly #registered = new Set<string>();
  /** The resource that took over an old URN by an alias. */
  readonly #claimed = new Map<string, string>();
  readonly #formerUrns = new Map<string, string[]>();

  constructor(resources: readonly ResourceState[]) {
    this.#olds = new Map(resources.filter((r) => !r.delete).map((r) => [r.urn, r]));
  }

  get(urn: string): ResourceState | undefined {
    return this.#olds.get(urn);
  }

  get all(): ResourceState[] {
    return [...this.#olds.values()];
  }

  isRegistered(urn: string): boolean {
    return this.#registered.has(urn);
  }

  /** Returns the former URNs of a registered resource. The first one is its URN in the state. */
  formerUrns(urn: string): readonly string[] {
    return this.#formerUrns.get(urn) ?? [];
  }

  /** Records a registration and returns the resource that it continues, found by its URN or one of its aliases. */
  claim(urn: string, identity: Identity, aliases: readonly Alias[]): ResourceState | undefined {
    if (this.#registered.has(urn)) {
      throw new Error(`Duplicate resource URN '${urn}'; try giving it a unique name`);
    }
    const claimer = this.#claimed.get(urn);
    if (claimer !== undefined) {
      throw new Error(
        `${urn} cannot be registered: ${claimer} took it over by an alias; remove that alias`,
      );
    }
    this.#registered.add(urn);
    const candidates = aliasUrns(identity, aliases, (parent) => this.formerUrns(parent));
    const found = [urn, ...candidates].find((candidate) => this.#olds.has(candidate)) ?? urn;
    const old = this.#olds.get(found);
    if (found !== urn) this.#claimAlias(urn, found);
    // Children still have former URNs if a rename was interrupted before it reached them.
    const earlier = (old?.aliases ?? []).filter((alias) => !this.#olds.has(alias));
    const former = new Set(found === urn ? earlier : [found, ...earlier]);
    if (former.size > 0) this.#formerUrns.set(urn, [...former]);
    return old;
  }

  #claimAlias(urn: string, alias: string): void {
    const other = this.#registered.has(alias) ? alias : this.#claimed.get(alias);
    if (other !== undefined) {
      throw new Error(
        `${urn} has ${alias} as an alias, but ${other} is registered as that resource; remove the alias or rename one of them`,
      );
    }
    this.#claimed.set(alias, urn);
  }
}
