import { z } from "zod";
import { annotation } from "../topology/names.ts";

/**
 * Which model names a namespace may register on a pool. Pickers, the status controller and the command line must
 * agree, so the rule stands here once.
 */

/** What the owner of a pool says of names, as its annotations have it. */
export interface ModelGrants {
  /** The pool's own namespace, which may register any name. */
  readonly namespace: string;
  /** Requests for models that no LLMService registers are refused. */
  readonly registrationRequired: boolean;
  /** Names by namespace, for those that may register these only; `games-*` is every name that begins so. */
  readonly modelsOf: ReadonlyMap<string, readonly string[]>;
  /** Names that nobody outside the pool's namespace may register; undefined where the owner does not say. */
  readonly reservedModels: readonly string[] | undefined;
}

/**
 * - `reserved`: the name is for the pool's own namespace.
 * - `not-granted`: the namespace may register other names only.
 * - `not-told-apart`: the pool serves names that nobody registers, and its owner does not say which are its own.
 */
export type NameRefusal = "reserved" | "not-granted" | "not-told-apart";

/** Why a namespace may not register a name; undefined where it may. */
export function nameRefusal(
  { namespace: own, registrationRequired, modelsOf, reservedModels }: ModelGrants,
  namespace: string,
  model: string,
): NameRefusal | undefined {
  if (namespace === own) return undefined;
  if (isAmong(reservedModels ?? [], model)) return "reserved";
  const granted = modelsOf.get(namespace);
  if (granted !== undefined) return isAmong(granted, model) ? undefined : "not-granted";
  // There a registration takes a name from those who use it, or closes it, though nobody had to register it.
  return registrationRequired || reservedModels !== undefined ? undefined : "not-told-apart";
}

const isAmong = (patterns: readonly string[], model: string): boolean =>
  patterns.some((pattern) =>
    pattern.endsWith("*") ? model.startsWith(pattern.slice(0, -1)) : model === pattern,
  );

const names = z.array(z.string());

/** What cannot be read opens nothing: then other namespaces register no name. */
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
