import { isDeepStrictEqual } from "node:util";
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
  readonly generation: number | undefined;
  readonly kept: T | undefined;
}

/** Identity and versions of an object. */
type ObjectHead = Pick<
  KubernetesObject["metadata"],
  "name" | "namespace" | "uid" | "resourceVersion" | "generation"
>;

/** A list on its way. */
export interface IncomingList<T> {
  readonly length: number;
  add(objects: Iterable<KubernetesObject>): void;
  end(): Change<T>[];
}

/** The objects of one collection, as lists and events tell of them. Answers what each of those changed. */
export class ObjectCache<T> {
  readonly #trim: Trim<T>;
  readonly #specOnly: boolean;
  #entries = new Map<string, Entry<T>>();
  readonly #kept = new Map<string, T>();

  /** @param specOnly whether what is kept depends on the spec and the identity of an object alone */
  constructor(trim: Trim<T>, specOnly = false) {
    this.#trim = trim;
    this.#specOnly = specOnly;
  }

  /** Objects by `namespace/name`. */
  get objects(): ReadonlyMap<string, T> {
    return this.#kept;
  }

  /** Objects that were told of, those left out among them. */
  get size(): number {
    return this.#entries.size;
  }

  has(object: { readonly metadata: ObjectHead }): boolean {
    return this.hasKey(keyOf(object));
  }

  /** Whether the object of `namespace/name` is known. */
  hasKey(key: string): boolean {
    return this.#entries.has(key);
  }

  /** Takes a whole list: what is not on it was deleted while nobody watched. */
  replace(objects: Iterable<KubernetesObject>): Change<T>[] {
    const list = this.list();
    list.add(objects);
    return list.end();
  }

  /**
   * A whole list that comes in pages, trimmed as they come. Nothing is changed before its end.
   *
   * @param isNewHistory returns whether the versions of the list may name other states than the known versions, as of a
   * restored server
   */
  list(isNewHistory: () => boolean = () => false): IncomingList<T> {
    const listed = new Map<string, Entry<T>>();
    return {
      get length() {
        return listed.size;
      },
      add: (objects) => {
        for (const object of objects)
          listed.set(keyOf(object), this.#entryOf(object, isNewHistory() ? "none" : "version"));
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
    if (this.putUnread(object)) return [];
    return this.#take(keyOf(object), this.#entryOf(object, "version"));
  }

  delete(object: { readonly metadata: ObjectHead }): Change<T>[] {
    return this.#forget(keyOf(object));
  }

  /** Takes note of a version of an object. Returns false if the object must be read for it. */
  putUnread({ metadata }: { readonly metadata: ObjectHead }): boolean {
    const key = keyOf({ metadata });
    const before = this.#entries.get(key);
    if (!this.#specOnly || before === undefined || !isSameSpec(before, metadata)) return false;
    this.#entries.set(key, { ...before, resourceVersion: metadata.resourceVersion });
    return true;
  }

  /** The entry of an object, which is trimmed unless the entry that is there is of the same version. */
  #entryOf(object: KubernetesObject, trust: "none" | "version"): Entry<T> {
    const { uid, resourceVersion, generation } = object.metadata;
    const key = keyOf(object);
    for (const text of [key, uid ?? "", resourceVersion ?? ""])
      if (text.length > longestIdentity)
        throw new Error(
          `an object has a name, uid or resourceVersion of more than ${longestIdentity} characters`,
        );
    const before = this.#entries.get(key);
    const isKnown = before !== undefined && isSameVersion(before, { uid, resourceVersion });
    if (isKnown && trust === "version") return before;
    const kept = this.#trim(object);
    if (isKnown && isDeepStrictEqual(kept, before.kept)) return before;
    return { uid, resourceVersion, generation, kept };
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

const isSameSpec = (
  a: Pick<Entry<unknown>, "uid" | "generation">,
  b: Pick<ObjectHead, "uid" | "generation">,
): boolean => a.uid === b.uid && a.generation !== undefined && a.generation === b.generation;

const isSameVersion = (
  a: Pick<Entry<unknown>, "uid" | "resourceVersion">,
  b: Pick<Entry<unknown>, "uid" | "resourceVersion">,
): boolean =>
  a.uid === b.uid && a.resourceVersion !== undefined && a.resourceVersion === b.resourceVersion;
