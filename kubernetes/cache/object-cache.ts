import { isDeepStrictEqual } from "node:util";
import { type KubernetesObject, keyOf } from "../values/object.ts";

/** A change of one object. A new object with the name of an old one is a deletion and an addition. */
export type Change<T> =
  | { readonly type: "added"; readonly key: string; readonly object: T }
  | { readonly type: "modified"; readonly key: string; readonly object: T; readonly previous: T }
  | { readonly type: "deleted"; readonly key: string; readonly previous: T };

/** Returns the part of an object to keep; undefined to omit the object. */
export type Trim<T> = (object: KubernetesObject) => T | undefined;

/** Upper limit in characters: namespace and name have at most 317 characters; uids and versions have fewer. */
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

/** A list whose pages are still being read. */
export interface IncomingList<T> {
  readonly length: number;
  add(objects: Iterable<KubernetesObject>): void;
  end(): Change<T>[];
}

/** The objects of one collection, from lists and events. Each method returns the resulting changes. */
export class ObjectCache<T> {
  readonly #trim: Trim<T>;
  readonly #specOnly: boolean;
  #entries = new Map<string, Entry<T>>();
  readonly #kept = new Map<string, T>();

  /** @param specOnly whether the kept part depends only on the spec and the identity of an object */
  constructor(trim: Trim<T>, specOnly = false) {
    this.#trim = trim;
    this.#specOnly = specOnly;
  }

  /** Objects by `namespace/name`. */
  get objects(): ReadonlyMap<string, T> {
    return this.#kept;
  }

  /** Number of received objects, including omitted ones. */
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

  /** Replaces all objects by a complete list. Objects that are not in the list were deleted in the meantime. */
  replace(objects: Iterable<KubernetesObject>): Change<T>[] {
    const list = this.list();
    list.add(objects);
    return list.end();
  }

  /**
   * Starts a complete list that is read in pages, which are trimmed as they arrive. Nothing changes before its end.
   *
   * @param isNewHistory returns whether a version in the list may refer to another state than the same known version,
   * as after the restore of a server
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

  /** Records a version of an object. Returns false if the object must be parsed. */
  putUnread({ metadata }: { readonly metadata: ObjectHead }): boolean {
    const key = keyOf({ metadata });
    const before = this.#entries.get(key);
    if (!this.#specOnly || before === undefined || !isSameSpec(before, metadata)) return false;
    this.#entries.set(key, { ...before, resourceVersion: metadata.resourceVersion });
    return true;
  }

  /** Returns the entry of an object. The object is trimmed unless the existing entry has the same version. */
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
