import { isDeferred } from "../../../kubernetes/values/deferred.ts";
import type { Fields } from "../../../kubernetes/values/records.ts";

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isDeferred(value);

/** The field that identifies an entry of these lists of a pod. */
const keys: Readonly<Record<string, string>> = {
  containers: "name",
  initContainers: "name",
  env: "name",
  ports: "containerPort",
  volumes: "name",
  volumeMounts: "mountPath",
};

/**
 * Returns a planned pod template, merged with a role's template: the role's fields win. Entries of lists with names,
 * such as containers and variables, are merged by name; other lists, such as `args`, are replaced.
 */
export function mergedTemplate(planned: unknown, written: unknown, field = ""): unknown {
  if (written === undefined) return planned;
  if (isFields(planned) && isFields(written)) {
    const merged: Record<string, unknown> = { ...planned };
    for (const [name, value] of Object.entries(written))
      merged[name] = mergedTemplate(planned[name], value, name);
    return merged;
  }
  const key = keys[field];
  if (key === undefined || !Array.isArray(planned) || !Array.isArray(written)) return written;
  const idOf = (entry: unknown) => (isFields(entry) ? entry[key] : undefined);
  const plannedOf = (id: unknown) =>
    id === undefined ? undefined : planned.find((entry) => idOf(entry) === id);
  const ids = new Set(written.map(idOf));
  // The role's entries are first, so that problems contain their indexes as written.
  return [
    ...written.map((entry) => mergedTemplate(plannedOf(idOf(entry)), entry)),
    ...planned.filter((entry) => !ids.has(idOf(entry))),
  ];
}
