import type { KubernetesObject } from "../../../kubernetes/values/object.ts";

/** An object of a kind whose status the controller writes. */
export interface StatusObject<Status, Reading> {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number | undefined;
  readonly status: Status | undefined;
  /** The parsed spec: the same value until the spec changes. */
  readonly reading: Reading;
}

interface RawObject extends KubernetesObject {
  readonly metadata: KubernetesObject["metadata"] & { readonly generation?: number };
  readonly status?: unknown;
}

interface Remembered<Reading> {
  readonly version: string;
  readonly reading: Reading;
}

/**
 * Reads the objects of a kind. An object is not parsed again if only its status changed, which happens more often than
 * a change of its spec.
 *
 * @param read parses an object
 */
export function statusObjects<Status, Reading>(read: (object: KubernetesObject) => Reading) {
  const remembered = new Map<string, Remembered<Reading>>();
  const observe = (object: KubernetesObject): StatusObject<Status, Reading> => {
    const { metadata, status } = object as RawObject;
    const { name, namespace = "default", uid = "", resourceVersion = "", generation } = metadata;
    const key = `${namespace}/${name}`;
    const version = JSON.stringify([
      uid,
      generation ?? resourceVersion,
      metadata.deletionTimestamp,
      metadata.annotations,
    ]);
    let known = remembered.get(key);
    if (known?.version !== version) {
      known = { version, reading: read(object) };
      remembered.set(key, known);
    }
    const { reading } = known;
    return {
      namespace,
      name,
      uid,
      resourceVersion,
      generation,
      status: status as Status,
      reading,
    };
  };
  return Object.assign(observe, { forget: (key: string) => remembered.delete(key) });
}
