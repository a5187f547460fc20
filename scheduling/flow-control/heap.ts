/** An item in a heap, and where it stands there: what removes it. */
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

/**
 * A binary heap of items by a number, equal ones by a second number. Adding, moving and removing any item take O(log n).
 */
export class Heap<Item> {
  readonly #entries: Entry<Item>[] = [];

  get size(): number {
    return this.#entries.length;
  }

  /** The item of the lowest number. */
  get first(): HeapEntry<Item> | undefined {
    return this.#entries[0];
  }

  /** In no order. */
  entries(): readonly HeapEntry<Item>[] {
    return this.#entries;
  }

  add(item: Item, key: number, tie: number): HeapEntry<Item> {
    const entry: Entry<Item> = { item, key, tie, at: this.#entries.length };
    this.#entries.push(entry);
    this.#rise(entry);
    return entry;
  }

  /** Gives an entry of this heap other numbers. */
  move(entry: HeapEntry<Item>, key: number, tie: number): void {
    const moved = entry as Entry<Item>;
    moved.key = key;
    moved.tie = tie;
    this.#rise(moved);
    this.#sink(moved);
  }

  /** Removes an entry of this heap. */
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
