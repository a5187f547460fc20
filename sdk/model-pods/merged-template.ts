import { isDeferred } from "../../kubernetes/values/deferred.ts";

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isDeferred(value);

/** The field by which entries of these lists of a pod are one and the same. */
const keys: Readonly<Record<string, string>> = {
  containers: "name",
  initContainers: "name",
  env: "name",
  ports: "containerPort",
  volumes: "name",
  volumeMounts: "mountPath",
};

/**
 * Returns a planned pod template with what a role's own template sets: the role's fields win. Entries of lists of named
 * things, such as containers and variables, are merged by name; other lists, such as `args`, are replaced.
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
  // The role's own entries come first, so that problems name them by the index under which they are written.
  return [
    ...written.map((entry) => mergedTemplate(plannedOf(idOf(entry)), entry)),
    ...planned.filter((entry) => !ids.has(idOf(entry))),
  ];
}
