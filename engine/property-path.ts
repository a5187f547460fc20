import type { PropertyPath } from "../kubernetes/values/property-path.ts";
import { isMap, isSecret, type PropertyValue } from "./property-value.ts";

export function formatPath(path: PropertyPath): string {
  return path
    .map((step, at) => {
      if (typeof step === "number") return `[${step}]`;
      if (step === "*") return "[*]";
      if (/^[^.[\]"]+$/.test(step)) return at === 0 ? step : `.${step}`;
      return `[${JSON.stringify(step)}]`;
    })
    .join("");
}

/** Whether a path is `outer` or below it. */
export function contains(outer: PropertyPath, path: PropertyPath): boolean {
  return (
    outer.length <= path.length && outer.every((step, at) => step === "*" || step === path[at])
  );
}

/** Returns the value at a path, also within secrets; `undefined` if there is none. */
export function getAt(value: PropertyValue, path: PropertyPath): PropertyValue {
  let current: PropertyValue = value;
  for (const step of path) {
    const container = isSecret(current) ? current.value : current;
    if (Array.isArray(container) && typeof step === "number") current = container[step];
    else if (isMap(container) && Object.hasOwn(container, String(step))) {
      current = container[String(step)];
    } else return undefined;
  }
  return current;
}

/**
 * Returns a copy with the value at a path replaced, or removed if `next` is `undefined`. Missing maps are created only
 * if a value is set.
 */
export function setAt(
  value: PropertyValue,
  path: PropertyPath,
  next: PropertyValue,
): PropertyValue {
  const [step, ...rest] = path;
  if (step === undefined) return next;
  if (isSecret(value)) return { ...value, value: setAt(value.value, path, next) };
  if (Array.isArray(value)) {
    if (typeof step !== "number" || step >= value.length) return value;
    return value.map((item, i) => (i === step ? setAt(item, rest, next) : item));
  }
  if (!isMap(value) && value !== undefined) return value;
  const map = value ?? {};
  const key = String(step);
  const inner = setAt(Object.hasOwn(map, key) ? map[key] : undefined, rest, next);
  if (inner !== undefined) return { ...map, [key]: inner };
  if (value === undefined) return undefined;
  const { [key]: _removed, ...others } = map;
  return others;
}

/** Returns the concrete paths, in any of the values, that a path with `*` matches. */
export function expandPath(path: PropertyPath, ...values: PropertyValue[]): PropertyPath[] {
  const at = path.indexOf("*");
  if (at < 0) return [path];
  const steps = new Set<string | number>();
  for (const value of values) {
    const found = getAt(value, path.slice(0, at));
    const container = isSecret(found) ? found.value : found;
    if (Array.isArray(container)) for (const index of container.keys()) steps.add(index);
    else if (isMap(container)) for (const key of Object.keys(container)) steps.add(key);
  }
  return [...steps].flatMap((step) =>
    expandPath([...path.slice(0, at), step, ...path.slice(at + 1)], ...values),
  );
}
