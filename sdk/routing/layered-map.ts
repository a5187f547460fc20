/** A read-only view of several maps, without copying them. The first map with a key provides its value. */
export class LayeredMap<Value> implements Iterable<readonly [string, Value]> {
  readonly #layers: ReadonlyArray<ReadonlyMap<string, Value>>;

  constructor(layers: ReadonlyArray<ReadonlyMap<string, Value>>) {
    this.#layers = layers.filter(({ size }) => size > 0);
  }

  get isEmpty(): boolean {
    return this.#layers.length === 0;
  }

  get(key: string): Value | undefined {
    return this.#layerOf(key)?.get(key);
  }

  has(key: string): boolean {
    return this.#layerOf(key) !== undefined;
  }

  *keys(): Iterable<string> {
    for (const [key] of this) yield key;
  }

  *[Symbol.iterator](): Iterator<readonly [string, Value]> {
    for (const [at, layer] of this.#layers.entries())
      for (const entry of layer)
        if (!this.#layers.slice(0, at).some((earlier) => earlier.has(entry[0]))) yield entry;
  }

  #layerOf(key: string): ReadonlyMap<string, Value> | undefined {
    for (const layer of this.#layers) if (layer.has(key)) return layer;
    return undefined;
  }
}
