import { isMap } from "../../kubernetes/values/records.ts";
import type { Path } from "../errors.ts";

/** A field and its other spelling, which the YAML samples of the proposals use. */
export interface Spelling {
  readonly field: string;
  readonly alias: string;
}

/** Fields with two spellings. The CRDs contain both, and readers accept either. */
export const spellings = {
  llmService: { field: "models", alias: "LLMServices" },
  model: { field: "name", alias: "modelName" },
  targetModel: { field: "name", alias: "targetModelName" },
  rewriteRule: { field: "targets", alias: "split" },
} as const satisfies Record<string, Spelling>;

// These functions accept unvalidated values. If both spellings are set, the canonical one wins. Values that are not
// objects are returned unchanged.

/** Returns a model with `modelName` renamed to `name`, and `targetModelName` renamed in its targets. */
export function canonicalModel(written: unknown): unknown {
  const model = renamed(written, spellings.model);
  return withList(model, "targetModels", canonicalTarget);
}

/** Returns a target with `targetModelName` renamed to `name`. */
export const canonicalTarget = (written: unknown): unknown =>
  renamed(written, spellings.targetModel);

/** Returns the spec of an LLMService with `LLMServices` renamed to `models`. */
export const canonicalLLMService = (written: unknown): unknown =>
  withList(renamed(written, spellings.llmService), "models", canonicalModel);

/** Returns a rule of an InferenceModelRewrite with `split` renamed to `targets`. */
export const canonicalRule = (written: unknown): unknown => renamed(written, spellings.rewriteRule);

/** Returns the spec of an InferenceModelRewrite with aliases replaced by the canonical fields. */
export const canonicalModelRewrite = (written: unknown): unknown =>
  withList(written, "rules", canonicalRule);

/** Returns a path in canonical fields as the author of an object spelled it: `spec.rules[0].split[1].weight`. */
export function writtenPath(written: unknown, path: Path): Path {
  let at: unknown = written;
  return path.map((step) => {
    const alias = isMap(at) && !Object.hasOwn(at, step) ? aliasIn(at, step) : undefined;
    const spelled = alias ?? step;
    at = (at as Record<string | number, unknown> | undefined | null)?.[spelled];
    return spelled;
  });
}

const aliasIn = (object: object, step: string | number): string | undefined =>
  Object.values(spellings).find(
    ({ field, alias }) => field === step && Object.hasOwn(object, alias),
  )?.alias;

function renamed(written: unknown, { field, alias }: Spelling): unknown {
  if (!isMap(written) || written[alias] === undefined) return written;
  const { [alias]: value, ...rest } = written;
  return { ...rest, [field]: rest[field] ?? value };
}

function withList(written: unknown, field: string, read: (entry: unknown) => unknown): unknown {
  if (!isMap(written)) return written;
  const list = written[field];
  return Array.isArray(list) ? { ...written, [field]: list.map(read) } : written;
}
