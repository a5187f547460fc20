/** An item in a heap, with its keys. It identifies the item for `move` and `remove`. */
export interface HeapEntry<Item> {
  readonly item: Item;
  readonly key: number;
  readonly tie: number;
}

interface Entry<Item> extends HeapEntry<Item> {
  key: number;
  tie: number;
  at: number;
}

/** A binary heap of items by `key`, with equal keys by `tie`. Adding, moving and removing any item take O(log n). */
export class Heap<Item> {
  readonly #entries: Entry<Item>[] = [];

  get size(): number {
    return this.#entries.length;
  }

  /** The entry with the lowest key. */
  get first(): HeapEntry<Item> | undefined {
    return this.#entries[0];
  }

  /** Returns the entries in no particular order. */
  entries(): readonly HeapEntry<Item>[] {
    return this.#entries;
  }

  add(item: Item, key: number, tie: number): HeapEntry<Item> {
    const entry: Entry<Item> = { item, key, tie, at: this.#entries.length };
    this.#entries.push(entry);
    this.#rise(entry);
    return entry;
  }

  /** Changes the keys of an entry of this heap. */
  move(entry: HeapEntry<Item>, key: number, tie: number): void {
    const moved = entry as Entry<Item>;
    moved.key = key;
    moved.tie = tie;
    this.#rise(moved);
    this.#sink(moved);
  }

  remove(entry: HeapEntry<Item>): void {
    const entries = this.#entries;
    const { at } = entry as Entry<Item>;
    const last = entries.pop() as Entry<Item>;
    if (last === entry) return;
    last.at = at;
    entries[at] = last;
    this.#rise(last);
    this.#sink(last);
  }

  #rise(entry: Entry<Item>): void {
    const entries = this.#entries;
    let { at } = entry;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = entries[above] as Entry<Item>;
      if (!isBefore(entry, parent)) break;
      entries[at] = parent;
      parent.at = at;
      at = above;
    }
    entries[at] = entry;
    entry.at = at;
  }

  #sink(entry: Entry<Item>): void {
    const entries = this.#entries;
    const { length } = entries;
    let { at } = entry;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= length) break;
      const right = left + 1;
      const below =
        right < length && isBefore(entries[right] as Entry<Item>, entries[left] as Entry<Item>)
          ? right
          : left;
      const child = entries[below] as Entry<Item>;
      if (!isBefore(child, entry)) break;
      entries[at] = child;
      child.at = at;
      at = below;
    }
    entries[at] = entry;
    entry.at = at;
  }
}

const isBefore = (a: Entry<unknown>, b: Entry<unknown>): boolean =>
  a.key === b.key ? a.tie < b.tie : a.key < b.key;
