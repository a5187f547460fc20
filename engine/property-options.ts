import { type PropertyPath, parsePropertyPath } from "../kubernetes/values/property-path.ts";
import { contains, expandPath, getAt, setAt } from "./property-path.ts";
import type { PropertyMap } from "./property-value.ts";

/** `ignoreChanges`: the new inputs with what the paths lead to as it was. */
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

/** `replaceOnChanges`: those changed paths that lie at or under one of the given ones. */
export function replacedOnChanges(
  changed: readonly PropertyPath[],
  replaceOnChanges: readonly string[],
): PropertyPath[] {
  const outer = replaceOnChanges.map(parsePropertyPath);
  return changed.filter((path) => outer.some((candidate) => contains(candidate, path)));
}
