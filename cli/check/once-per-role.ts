import { isMap } from "../../kubernetes/values/records.ts";
import { label } from "../../sdk/names.ts";
import { nameOfObject } from "../../sdk/rules/helpers/format-finding.ts";
import type { PolicyViolation } from "../analyzer/analyzer-process.ts";

/** A violation and its object. */
export interface ViolationOfObject {
  readonly violation: PolicyViolation;
  readonly object: unknown;
  /** Name of the document that the object is planned from. */
  readonly document: string;
}

/** Merges the violations of a rule that several objects of one role share. The first names the other objects. */
export function oncePerRole(violations: readonly ViolationOfObject[]): PolicyViolation[] {
  const groups = Map.groupBy(violations, (each, at) => {
    const role = roleOf(each.object);
    const { policy, isKnown } = each.violation;
    return role === undefined
      ? String(at)
      : JSON.stringify([policy.name, isKnown, each.document, role, withoutName(each)]);
  });
  return Array.from(groups.values(), ([first, ...others]) => {
    const { violation } = first as ViolationOfObject;
    if (others.length === 0) return violation;
    const names = others.map(({ object }) => nameOfObject(object));
    const rest = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : "";
    const list = `${names.slice(0, mostNamed).join(", ")}${rest}`;
    return { ...violation, message: `${violation.message} The same applies to ${list}.` };
  });
}

/** Maximum number of other objects in a merged message. */
const mostNamed = 3;

/** Returns namespace, service and role of a planned object; undefined for any other object. */
function roleOf(object: unknown): string | undefined {
  const metadata = isMap(object) && isMap(object.metadata) ? object.metadata : {};
  const labels = isMap(metadata.labels) ? metadata.labels : {};
  const { [label.service]: service, [label.roleName]: role } = labels;
  if (typeof service !== "string" || typeof role !== "string") return undefined;
  return JSON.stringify([metadata.namespace, service, role]);
}

function withoutName({ violation: { message }, object }: ViolationOfObject): string {
  const name = `${nameOfObject(object)}: `;
  return message.startsWith(name) ? message.slice(name.length) : message;
}
