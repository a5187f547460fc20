import { createHash } from "node:crypto";
import type { PropertyPath } from "../../kubernetes/values/property-path.ts";
import type { FieldSet, KubernetesObject, ManagedFields } from "./object.ts";

/** The manager that creates objects, as in the Pulumi provider, so that either can go on with the other's. */
export const CREATING_MANAGER = "pulumi-kubernetes";

// Whose fields a first server-side apply takes over: those of our creation and of plain kubectl use.
const TAKEN_OVER: ReadonlyArray<readonly [string, ManagedFields["operation"]]> = [
  ["kubectl", "Apply"],
  ["kubectl", "Update"],
  ["before-first-apply", "Update"],
  [CREATING_MANAGER, "Update"],
  ["pulumi-kubernetes.exe", "Update"],
  ["pulumi-resource-kubernetes", "Update"],
];

/** The manager that updates a resource: its own, and always the same. */
export function applyingManager(urn: string): string {
  return `${CREATING_MANAGER}-${createHash("sha256").update(urn).digest("hex").slice(0, 8)}`;
}

function isTakenOver({ manager, operation, subresource }: ManagedFields): boolean {
  return !subresource && TAKEN_OVER.some(([name, how]) => name === manager && how === operation);
}

export function hasFieldsToTakeOver({ metadata }: KubernetesObject): boolean {
  return (metadata.managedFields ?? []).some(isTakenOver);
}

/** Whether this provider may have created the object. One that was created with a name alone has no managers. */
export function mayBeCreatedByPulumi({ metadata }: KubernetesObject): boolean {
  const managers = (metadata.managedFields ?? []).map(({ manager }) => manager);
  return managers.length === 0 || managers.some((manager) => manager.startsWith(CREATING_MANAGER));
}

/**
 * The managed fields of an object after a manager took over those of its creation. Without this a field that is
 * left out of an apply would stay, because its creator would own it still.
 */
export function takenOver(object: KubernetesObject, manager: string): ManagedFields[] {
  const all = object.metadata.managedFields ?? [];
  const isOurs = (entry: ManagedFields) =>
    isTakenOver(entry) ||
    (entry.manager === manager && entry.operation === "Apply" && !entry.subresource);
  const ours = all.filter(isOurs);
  return [
    ...all.filter((entry) => !isOurs(entry)),
    {
      manager,
      operation: "Apply",
      apiVersion: object.apiVersion,
      fieldsType: "FieldsV1",
      fieldsV1: ours.reduce<FieldSet>((set, entry) => union(set, entry.fieldsV1 ?? {}), {}),
    },
  ];
}

function union(a: FieldSet, b: FieldSet): FieldSet {
  const result = { ...a };
  for (const [field, inner] of Object.entries(b)) result[field] = union(result[field] ?? {}, inner);
  return result;
}

/** Whether another manager owns the field at a path and the given one does not. */
export function isOwnedByOthers(
  object: KubernetesObject,
  path: PropertyPath,
  manager: string,
): boolean {
  const owners = (object.metadata.managedFields ?? []).filter((entry) =>
    hasField(entry.fieldsV1 ?? {}, path),
  );
  return owners.length > 0 && owners.every((entry) => entry.manager !== manager);
}

function hasField(set: FieldSet, path: PropertyPath): boolean {
  let current: FieldSet | undefined = set;
  for (const step of path) current = current?.[`f:${step}`];
  return current !== undefined;
}
