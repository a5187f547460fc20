import { isDeferred } from "../../../kubernetes/values/deferred.ts";

/** Value of a variable: undefined if the container sets it to a value that the template does not contain. */
export type Value = string | undefined;

/** The variables that a container sets. */
export interface Environment {
  readonly values: ReadonlyMap<string, Value>;
  /** Whether the container may set more variables than `values` has, from a ConfigMap, a Secret or an Output. */
  readonly mayHaveMore: boolean;
}

/** Returns the variables of a container's `env`, with the references between them resolved as the kubelet does. */
export function environmentOf(env: unknown, envFrom: unknown): Environment {
  const values = new Map<string, Value>();
  const list = Array.isArray(env) ? env : [];
  for (const entry of list) {
    if (isDeferred(entry) || typeof entry?.name !== "string") continue;
    values.set(entry.name, valueOfEntry(entry, values));
  }
  const isWhole = (env === undefined || Array.isArray(env)) && !list.some(isDeferred);
  const hasSources = isDeferred(envFrom) || (Array.isArray(envFrom) && envFrom.length > 0);
  return { values, mayHaveMore: !isWhole || hasSources };
}

/** Reports whether a script in a command or its arguments sets a variable. */
export const scriptSets = (
  { command, args }: { readonly command?: unknown; readonly args?: unknown },
  variable: string,
): boolean =>
  [command, args].flat().some((word) => typeof word === "string" && word.includes(`${variable}=`));

/** Whether a script in a command or its arguments may set any variable: it reads a file, or the output of a program. */
export const scriptReadsVariables = ({
  command,
  args,
}: {
  readonly command?: unknown;
  readonly args?: unknown;
}): boolean =>
  [command, args]
    .flat()
    .some(
      (word) =>
        typeof word === "string" &&
        /(^|[\s;&|({])(\.|source|eval)\s+\S|\bexport\s[^;&|]*\$\(|--env-file/.test(word),
    );

function valueOfEntry(
  entry: { readonly value?: unknown; readonly valueFrom?: unknown },
  values: ReadonlyMap<string, Value>,
): Value {
  try {
    const { value = "", valueFrom } = entry;
    if (valueFrom !== undefined || isDeferred(value)) return undefined;
    const { text, isKnown } = expandReferences(String(value), values);
    return isKnown ? text : undefined;
  } catch {
    // An object of a stack throws if code reads a value that only the update knows.
    return undefined;
  }
}

const reference = /\$(\$|\(([-._a-zA-Z0-9]+)\))/g;

/**
 * Expands `$(NAME)` as the kubelet does in `command`, `args` and `env`; `$$` is a literal `$`. A reference is kept as
 * written if the template does not contain its value: the LeaderWorkerSet controller or a plugin may still set it.
 */
export function expandReferences(
  text: string,
  values: ReadonlyMap<string, Value>,
): { readonly text: string; readonly isKnown: boolean } {
  let isKnown = true;
  const expanded = text.replaceAll(reference, (written, after: string, name: string) => {
    if (after === "$") return "$";
    const value = values.get(name);
    if (value === undefined) isKnown = false;
    return value ?? written;
  });
  return { text: expanded, isKnown };
}
