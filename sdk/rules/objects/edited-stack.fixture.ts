import { goodStack } from "./good-stack.fixture.ts";

/** An object (`Kind/name`), a path in it and the new value. `undefined` removes the value at the path. */
export type Edit = readonly [object: string, place: string, value: unknown];

/** Cases of one rule, as edits of the good stack. The name of a case completes "allows ..." or "refuses ...". */
export interface RuleCases {
  readonly rule: string;
  readonly parameters?: object;
  /** Edits with which the rule still reports nothing. It also allows the unedited stack. */
  readonly allows: Readonly<Record<string, readonly Edit[]>>;
  readonly refuses: Readonly<Record<string, Refused>>;
}

/** A stack that is one edit away from a stack that the rule allows. */
export interface Refused {
  /** The last edit breaks the rule; the stack with only the earlier edits does not. */
  readonly edits: readonly [...Edit[], Edit];
  /** Expected findings: object, path and message. */
  readonly finds: readonly string[];
}

interface Named {
  kind: string;
  metadata: { name: string };
}

/** Returns a copy of the good stack with the edits applied. */
export function edited(edits: readonly Edit[]): object[] {
  const stack = goodStack() as unknown as Array<Named & Record<string, unknown>>;
  for (const [object, place, value] of edits) {
    const at = stack.findIndex(({ kind, metadata }) => `${kind}/${metadata.name}` === object);
    if (at < 0) throw new Error(`no ${object} in the stack`);
    const keys = place.split(" ").filter((key) => key !== "");
    if (keys.length > 0) assign(stack[at] as object, keys, value);
    else if (value === undefined) stack.splice(at, 1);
    else Object.assign(stack[at] as object, value);
  }
  return stack;
}

function assign(target: object, [key = "", ...rest]: readonly string[], value: unknown): void {
  const holder = target as Record<string, object | undefined>;
  if (rest.length > 0) {
    holder[key] = structuredClone(holder[key] ?? {});
    assign(holder[key] as object, rest, value);
  } else if (value === undefined) {
    if (Array.isArray(target)) target.splice(Number(key), 1);
    else delete holder[key];
  } else {
    holder[key] = structuredClone(value) as object;
  }
}
