import { goodStack } from "./good-stack.fixture.ts";

/** An object (`Kind/name`), the place in it and the new value; `undefined` removes what is there. */
export type Edit = readonly [object: string, place: string, value: unknown];

/** Cases of one rule, as edits of the good stack, by a name that completes "allows ..." or "refuses ...". */
export interface RuleCases {
  readonly rule: string;
  readonly parameters?: object;
  /** Stacks beside the good one that the rule is content with. */
  readonly allows: Readonly<Record<string, readonly Edit[]>>;
  readonly refuses: Readonly<Record<string, Refused>>;
}

/** A stack that is one edit away from one that the rule allows. */
export interface Refused {
  /** The last edit breaks the rule; those before it do not. */
  readonly edits: readonly [...Edit[], Edit];
  /** What the rule says: object, place and text. */
  readonly finds: readonly string[];
}

interface Named {
  kind: string;
  metadata: { name: string };
}

/** Returns the good stack with edits. */
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
