/** Items by keys. The list of a key is the same array as before as long as its items are. */
export class Partition<Item> {
  #lists: ReadonlyMap<string, readonly Item[]> = new Map();

  /** @param keysOf the keys in whose lists an item is */
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
