import type { Reflector } from "../../../kubernetes/cache/reflector.ts";

/** The objects of several reflectors as one list, which stays the same array until one of them changes. */
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

  /** Call this when one of the reflectors changed. */
  readonly changed = (): void => {
    this.#list = undefined;
  };

  /** All objects. If two reflectors have an object of the same name, the first reflector wins. */
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
