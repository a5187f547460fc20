/** Items grouped by keys. The list of a key stays the same array as long as its items do. */
export class Partition<Item> {
  #lists: ReadonlyMap<string, readonly Item[]> = new Map();

  /** @param keysOf returns the keys of the lists that an item belongs to */
  divide(
    items: Iterable<Item>,
    keysOf: (item: Item) => Iterable<string>,
  ): ReadonlyMap<string, readonly Item[]> {
    const lists = new Map<string, Item[]>();
    for (const item of items)
      for (const key of new Set(keysOf(item))) {
        const list = lists.get(key);
        if (list === undefined) lists.set(key, [item]);
        else list.push(item);
      }
    const before = this.#lists;
    this.#lists = new Map(
      [...lists].map(([key, list]) => [key, sameAs(before.get(key), list) ?? list]),
    );
    return this.#lists;
  }
}

const sameAs = <Item>(before: readonly Item[] | undefined, list: readonly Item[]) =>
  before?.length === list.length && before.every((item, at) => item === list[at])
    ? before
    : undefined;
