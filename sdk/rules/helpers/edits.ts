import type { Edit } from "./stack-rule.ts";

type Holder = Record<string | number, unknown>;

/** Applies an edit to an object. The path starts within the object. */
export function applyEdit(object: object, { path, value }: Edit): void {
  const last = path.length - 1;
  let holder = object as Holder;
  for (const [at, step] of path.entries()) {
    if (at === last) {
      holder[step] = value;
      return;
    }
    holder[step] ??= typeof path[at + 1] === "number" ? [] : {};
    holder = holder[step] as Holder;
  }
}
