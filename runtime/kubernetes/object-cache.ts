import { type KubernetesObject, keyOf } from "./object.ts";

/** What happened to one object. A new object of an old name is a deletion and an addition. */
export type Change<T> =
  | { readonly type: "added"; readonly key: string; readonly object: T }
  | { readonly type: "modified"; readonly key: string; readonly object: T; readonly previous: T }
  | { readonly type: "deleted"; readonly key: string; readonly previous: T };

/** What is kept of an object; undefined leaves it out. */
export type Trim<T> = (object: KubernetesObject) => T | undefined;

interface Entry<T> {
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly kept: T | undefined;
}

/** The objects of one collection, as lists and events tell of them. Answers what each of those changed. */
export class ObjectCache<T> {
  readonly #trim: Trim<T>;
  #entries = new Map<string, Entry<T>>();
  readonly #kept = new Map<string, T>();

  constructor(trim: Trim<T>) {
    this.#trim = trim;
  }

  /** Objects by `namespace/name`. */
  get objects(): ReadonlyMap<string, T> {
    return this.#kept;
  }

  /** Takes a whole list: what is not on it was deleted while nobody watched. */
  replace(list: Iterable<KubernetesObject>): Change<T>[] {
    const listed = new Map<string, KubernetesObject>();
    for (const object of list) listed.set(keyOf(object), object);
    const gone = [...this.#entries.keys()].filter((key) => !listed.has(key));
    return [
      ...gone.flatMap((key) => this.#forget(key)),
      ...[...listed].flatMap(([key, object]) => this.#put(key, object)),
    ];
  }

  put(object: KubernetesObject): Change<T>[] {
    return this.#put(keyOf(object), object);
  }

  delete(object: KubernetesObject): Change<T>[] {
    return this.#forget(keyOf(object));
  }

  #put(key: string, object: KubernetesObject): Change<T>[] {
    const { uid, resourceVersion } = object.metadata;
    const before = this.#entries.get(key);
    const sameObject = before !== undefined && before.uid === uid;
    if (sameObject && resourceVersion !== undefined && before.resourceVersion === resourceVersion)
      return [];
    const deletion = before === undefined || sameObject ? [] : this.#forget(key);
    const kept = this.#trim(object);
    this.#entries.set(key, { uid, resourceVersion, kept });
    return [...deletion, ...this.#keep(key, kept)];
  }

  #keep(key: string, object: T | undefined): Change<T>[] {
    const previous = this.#kept.get(key);
    if (object === undefined) {
      this.#kept.delete(key);
      return previous === undefined ? [] : [{ type: "deleted", key, previous }];
    }
    this.#kept.set(key, object);
    return previous === undefined
      ? [{ type: "added", key, object }]
      : [{ type: "modified", key, object, previous }];
  }

  #forget(key: string): Change<T>[] {
    this.#entries.delete(key);
    return this.#keep(key, undefined);
  }
}
