import { isMap, type PropertyMap, type PropertyValue, sameValue } from "../property-value.ts";
import { type KubernetesObject, SERVER_SET_METADATA } from "./object.ts";

/**
 * Returns the inputs of a resource after external changes: fields that have not changed since the resource was last
 * read keep their input, so that the API server's format of a value does not count as drift; all others get the live
 * value. Fields that are not in the inputs are ignored.
 */
export function driftedInputs(
  inputs: PropertyMap,
  lastSeen: PropertyMap,
  live: PropertyMap,
): PropertyMap {
  return Object.fromEntries(
    Object.entries(inputs).flatMap(([key, input]) => {
      const value = drifted(input, lastSeen[key], live[key]);
      return value === undefined ? [] : [[key, value]];
    }),
  );
}

function drifted(
  input: PropertyValue,
  lastSeen: PropertyValue,
  live: PropertyValue,
): PropertyValue {
  if (sameValue(lastSeen, live) || sameValue(input, live)) return input;
  if (isMap(input) && isMap(live))
    return driftedInputs(input, isMap(lastSeen) ? lastSeen : {}, live);
  if (Array.isArray(input) && Array.isArray(live) && input.length === live.length) {
    const seen = Array.isArray(lastSeen) && lastSeen.length === live.length ? lastSeen : [];
    return input.map((item, i) => drifted(item, seen[i], live[i]));
  }
  // The server drops an empty map or list, which does not count as missing.
  if (live === undefined && lastSeen === undefined) return input;
  return live;
}

/** Returns the inputs of an object that no program created: all fields except those that only the server writes. */
export function adoptedInputs(live: KubernetesObject): PropertyMap {
  const { status: _status, metadata, ...rest } = live;
  const kept = Object.entries(metadata).filter(([key]) => !SERVER_SET_METADATA.includes(key));
  return { ...rest, metadata: Object.fromEntries(kept) };
}
