import { type KubernetesObject, keyOf } from "../values/object.ts";

/** What happened to one object. A new object of an old name is a deletion and an addition. */
export type Change<T> =
  | { readonly type: "added"; readonly key: string; readonly object: T }
  | { readonly type: "modified"; readonly key: string; readonly object: T; readonly previous: T }
  | { readonly type: "deleted"; readonly key: string; readonly previous: T };

/** What is kept of an object; undefined leaves it out. */
export type Trim<T> = (object: KubernetesObject) => T | undefined;

/** A namespace and a name have at most 317 characters; uids and versions have fewer. */
const longestIdentity = 400;

interface Entry<T> {
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly kept: T | undefined;
}

/** A list on its way. */
export interface IncomingList<T> {
  readonly length: number;
  add(objects: Iterable<KubernetesObject>): void;
  end(): Change<T>[];
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

  /** Objects that were told of, those left out among them. */
  get size(): number {
    return this.#entries.size;
  }

  has(object: KubernetesObject): boolean {
    return this.#entries.has(keyOf(object));
  }

  /** Takes a whole list: what is not on it was deleted while nobody watched. */
  replace(objects: Iterable<KubernetesObject>): Change<T>[] {
    const list = this.list();
    list.add(objects);
    return list.end();
  }

  /** A whole list that comes in pages, trimmed as they come. Nothing is changed before its end. */
  list(): IncomingList<T> {
    const listed = new Map<string, Entry<T>>();
    return {
      get length() {
        return listed.size;
      },
      add: (objects) => {
        for (const object of objects) listed.set(keyOf(object), this.#entryOf(object));
      },
      end: () => {
        const gone = [...this.#entries.keys()].filter((key) => !listed.has(key));
        return [
          ...gone.flatMap((key) => this.#forget(key)),
          ...[...listed].flatMap(([key, entry]) => this.#take(key, entry)),
        ];
      },
    };
  }

  put(object: KubernetesObject): Change<T>[] {
    return this.#put(keyOf(object), object);
  }

  delete(object: KubernetesObject): Change<T>[] {
    return this.#forget(keyOf(object));
  }

  #put(key: string, object: KubernetesObject): Change<T>[] {
    return this.#take(key, this.#entryOf(object));
  }

  /** The entry that is there where it is of the same version, which need not be trimmed again. */
  #entryOf(object: KubernetesObject): Entry<T> {
    const { uid, resourceVersion } = object.metadata;
    const key = keyOf(object);
    for (const text of [key, uid ?? "", resourceVersion ?? ""])
      if (text.length > longestIdentity)
        throw new Error(
          `an object whose name, uid or version has more than ${longestIdentity} characters`,
        );
    const before = this.#entries.get(key);
    if (before !== undefined && isSameVersion(before, { uid, resourceVersion })) return before;
    return { uid, resourceVersion, kept: this.#trim(object) };
  }

  #take(key: string, entry: Entry<T>): Change<T>[] {
    const before = this.#entries.get(key);
    if (before === entry) return [];
    const isSame = before === undefined || before.uid === entry.uid;
    const deletion = isSame ? [] : this.#forget(key);
    this.#entries.set(key, entry);
    return [...deletion, ...this.#keep(key, entry.kept)];
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

const isSameVersion = (
  a: Pick<Entry<unknown>, "uid" | "resourceVersion">,
  b: Pick<Entry<unknown>, "uid" | "resourceVersion">,
): boolean =>
  a.uid === b.uid && a.resourceVersion !== undefined && a.resourceVersion === b.resourceVersion;
