import { isMap } from "../../kubernetes/values/records.ts";

/** A field, and the other spelling of it that the proposals' YAML samples have. */
export interface Spelling {
  readonly field: string;
  readonly alias: string;
}

/** The fields that have two spellings. The definitions know both, and readers take either. */
export const spellings = {
  llmService: { field: "models", alias: "LLMServices" },
  model: { field: "name", alias: "modelName" },
  targetModel: { field: "name", alias: "targetModelName" },
  rewriteRule: { field: "targets", alias: "split" },
} as const satisfies Record<string, Spelling>;

/*
 * These functions read whatever was written: if both spellings stand, the canonical one counts; values that are not
 * objects stay as they are.
 */

/** A model as written, `modelName` read as `name`, and its targets' `targetModelName` too. */
export function canonicalModel(written: unknown): unknown {
  const model = renamed(written, spellings.model);
  return withList(model, "targetModels", canonicalTarget);
}

/** A target of a model as written, `targetModelName` read as `name`. */
export const canonicalTarget = (written: unknown): unknown =>
  renamed(written, spellings.targetModel);

/** The spec of an LLMService as written, `LLMServices` read as `models`. */
export const canonicalLLMService = (written: unknown): unknown =>
  withList(renamed(written, spellings.llmService), "models", canonicalModel);

/** A rule of an InferenceModelRewrite as written, `split` read as `targets`. */
export const canonicalRule = (written: unknown): unknown => renamed(written, spellings.rewriteRule);

/** The spec of an InferenceModelRewrite as written. */
export const canonicalModelRewrite = (written: unknown): unknown =>
  withList(written, "rules", canonicalRule);

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
