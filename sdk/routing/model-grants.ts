import { z } from "zod";
import { annotation } from "../names.ts";

/**
 * The rule that decides which model names a namespace may register on a pool. Pickers, the status controller and the
 * command line share it, because they must agree.
 */

/** The grants of a pool's owner, as set in the pool's annotations. */
export interface ModelGrants {
  /** The pool's namespace, which may register any name. */
  readonly namespace: string;
  /** Whether requests for unregistered models are refused. */
  readonly registrationRequired: boolean;
  /**
   * Allowed names of the namespaces that may register only these. `games-*` is every name that starts with `games-`.
   */
  readonly modelsOf: ReadonlyMap<string, readonly string[]>;
  /** Names that only the pool's namespace may register. Undefined if the owner does not set them. */
  readonly reservedModels: readonly string[] | undefined;
}

/**
 * - `reserved`: the name is for the namespace of the pool.
 * - `not-granted`: the namespace may register only other names.
 * - `ownership-unset`: the pool serves unregistered names, and its owner has not set which of them are reserved.
 */
export type NameRefusal = "reserved" | "not-granted" | "ownership-unset";

/** Returns why a namespace may not register a name. Undefined if it may. */
export function nameRefusal(
  { namespace: own, registrationRequired, modelsOf, reservedModels }: ModelGrants,
  namespace: string,
  model: string,
): NameRefusal | undefined {
  if (namespace === own) return undefined;
  if (isAmong(reservedModels ?? [], model)) return "reserved";
  const granted = modelsOf.get(namespace);
  if (granted !== undefined) return isAmong(granted, model) ? undefined : "not-granted";
  // Here clients may already use the name without a registration. Registering it could redirect or refuse their
  // requests.
  return registrationRequired || reservedModels !== undefined ? undefined : "ownership-unset";
}

const isAmong = (patterns: readonly string[], model: string): boolean =>
  patterns.some((pattern) =>
    pattern.endsWith("*") ? model.startsWith(pattern.slice(0, -1)) : model === pattern,
  );

const names = z.array(z.string());

/**
 * Reads the grants from annotations. An unreadable annotation grants nothing: other namespaces then cannot register any
 * name.
 */
export function modelGrantsIn(
  annotations: Readonly<Record<string, string>>,
  allowedNamespaces: readonly string[],
): Pick<ModelGrants, "modelsOf" | "reservedModels"> {
  const models = annotations[annotation.allowedModels];
  const reserved = annotations[annotation.reservedModels];
  const granted = models === undefined ? {} : jsonOf(z.record(z.string(), names), models);
  return {
    modelsOf: new Map(
      granted === undefined
        ? allowedNamespaces.map((namespace) => [namespace, []])
        : Object.entries(granted),
    ),
    reservedModels: reserved === undefined ? undefined : (jsonOf(names, reserved) ?? ["*"]),
  };
}

function jsonOf<T>(schema: z.ZodType<T>, text: string): T | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
