import { type PropertyPath, parsePropertyPath } from "../kubernetes/values/property-path.ts";
import { contains, expandPath, getAt, setAt } from "./property-path.ts";
import type { PropertyMap } from "./property-value.ts";

/** Applies `ignoreChanges`: returns the new inputs with the old values at the paths. */
export function ignoringChanges(
  newInputs: PropertyMap,
  oldInputs: PropertyMap,
  ignoreChanges: readonly string[],
): PropertyMap {
  return ignoreChanges
    .flatMap((text) => expandPath(parsePropertyPath(text), newInputs, oldInputs))
    .reduce<PropertyMap>(
      (inputs, path) => setAt(inputs, path, getAt(oldInputs, path)) as PropertyMap,
      newInputs,
    );
}

/** Applies `replaceOnChanges`: returns the changed paths that are equal to or below one of the given paths. */
export function replacedOnChanges(
  changed: readonly PropertyPath[],
  replaceOnChanges: readonly string[],
): PropertyPath[] {
  const outer = replaceOnChanges.map(parsePropertyPath);
  return changed.filter((path) => outer.some((candidate) => contains(candidate, path)));
}
