import type { Reflector } from "../../../kubernetes/cache/reflector.ts";

/** The objects of several collections as one list: the same array until one of them changes. */
export class ReflectedList<T> {
  #reflectors: ReadonlyArray<Reflector<T>> = [];
  #list: readonly T[] | undefined;

  get reflectors(): ReadonlyArray<Reflector<T>> {
    return this.#reflectors;
  }

  set reflectors(reflectors: ReadonlyArray<Reflector<T>>) {
    this.#reflectors = reflectors;
    this.#list = undefined;
  }

  /** To be called when one of the collections changed. */
  readonly changed = (): void => {
    this.#list = undefined;
  };

  /** All objects; of those with one name, the one of the first collection. */
  get list(): readonly T[] {
    this.#list ??= union(this.#reflectors);
    return this.#list;
  }
}

function union<T>(reflectors: ReadonlyArray<Reflector<T>>): T[] {
  const objects = new Map<string, T>();
  for (const reflector of reflectors)
    for (const [key, object] of reflector.objects) if (!objects.has(key)) objects.set(key, object);
  return [...objects.values()];
}
