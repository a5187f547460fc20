import { isMap, type PropertyMap, type PropertyValue, sameValue } from "../property-value.ts";
import { type KubernetesObject, SERVER_SET_METADATA } from "./object.ts";

/**
 * The inputs of a resource after what others changed of it: fields that are live as they were when the resource was
 * last seen keep their input, so that the API server's own spelling of a value does not count as drift; the others take the
 * live value. Fields that the inputs lack are ignored.
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
  // An empty map or list that the server does not keep is not missing.
  if (live === undefined && lastSeen === undefined) return input;
  return live;
}

/** The inputs of an object that no program made: all of it but what only the server writes. */
export function adoptedInputs(live: KubernetesObject): PropertyMap {
  const { status: _status, metadata, ...rest } = live;
  const kept = Object.entries(metadata).filter(([key]) => !SERVER_SET_METADATA.includes(key));
  return { ...rest, metadata: Object.fromEntries(kept) };
}
