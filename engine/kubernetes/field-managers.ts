import { createHash } from "node:crypto";
import type { PropertyPath } from "../../kubernetes/values/property-path.ts";
import type { FieldSet, KubernetesObject, ManagedFields } from "./object.ts";

/**
 * The manager that creates objects, the same as in the Pulumi provider, so that either can continue the other's work.
 */
export const CREATING_MANAGER = "pulumi-kubernetes";

// Managers whose fields the first server-side apply takes over: this provider's create and kubectl.
const TAKEN_OVER: ReadonlyArray<readonly [string, ManagedFields["operation"]]> = [
  ["kubectl", "Apply"],
  ["kubectl", "Update"],
  ["before-first-apply", "Update"],
  [CREATING_MANAGER, "Update"],
  ["pulumi-kubernetes.exe", "Update"],
  ["pulumi-resource-kubernetes", "Update"],
];

/** Returns the manager that updates a resource, which is unique to the resource and never changes. */
export function applyingManager(urn: string): string {
  return `${CREATING_MANAGER}-${createHash("sha256").update(urn).digest("hex").slice(0, 8)}`;
}

function isTakenOver({ manager, operation, subresource }: ManagedFields): boolean {
  return !subresource && TAKEN_OVER.some(([name, how]) => name === manager && how === operation);
}

export function hasFieldsToTakeOver({ metadata }: KubernetesObject): boolean {
  return (metadata.managedFields ?? []).some(isTakenOver);
}

/** Whether this provider may have created the object. An object that was created with only a name has no managers. */
export function mayBeCreatedByPulumi({ metadata }: KubernetesObject): boolean {
  const managers = (metadata.managedFields ?? []).map(({ manager }) => manager);
  return managers.length === 0 || managers.some((manager) => manager.startsWith(CREATING_MANAGER));
}

/**
 * Returns the managed fields of an object after a manager has taken over the fields of its creation. Otherwise a field
 * that is missing in an apply would stay, because the creating manager would still own it.
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

/** Whether another manager owns the field at a path, and the given one does not. */
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
