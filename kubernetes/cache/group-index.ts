/** Objects by the groups to which they belong. An object may belong to several. */
export class GroupIndex<T extends { readonly name: string }> {
  /** By group, then by name. */
  readonly #groups = new Map<string, Map<string, T>>();
  readonly #groupsOf: (object: T) => readonly string[];

  constructor(groupsOf: (object: T) => readonly string[]) {
    this.#groupsOf = groupsOf;
  }

  put(object: T): void {
    for (const group of this.#groupsOf(object)) {
      const objects = this.#groups.get(group) ?? new Map<string, T>();
      this.#groups.set(group, objects.set(object.name, object));
    }
  }

  delete(object: T): void {
    for (const group of this.#groupsOf(object)) {
      const objects = this.#groups.get(group);
      objects?.delete(object.name);
      if (objects?.size === 0) this.#groups.delete(group);
    }
  }

  /** Returns the objects of a group by name. */
  of(group: string): ReadonlyMap<string, T> {
    return this.#groups.get(group) ?? new Map<string, T>();
  }
}
