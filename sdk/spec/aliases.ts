import { isMap } from "../../kubernetes/values/records.ts";

/**
 * The other spellings of fields that the proposals' YAML samples use beside their Go types. These functions read
 * whatever was written: if both spellings stand, the canonical one counts; values that are not objects stay as they are.
 */

/** A model as written, `modelName` read as `name`, and its targets' `targetModelName` too. */
export function canonicalModel(written: unknown): unknown {
  const model = renamed(written, "modelName", "name");
  return withList(model, "targetModels", canonicalTarget);
}

/** A target of a model as written, `targetModelName` read as `name`. */
export const canonicalTarget = (written: unknown): unknown =>
  renamed(written, "targetModelName", "name");

/** The spec of an LLMService as written, `LLMServices` read as `models`. */
export const canonicalLLMService = (written: unknown): unknown =>
  withList(renamed(written, "LLMServices", "models"), "models", canonicalModel);

/** A rule of an InferenceModelRewrite as written, `split` read as `targets`. */
export const canonicalRule = (written: unknown): unknown => renamed(written, "split", "targets");

/** The spec of an InferenceModelRewrite as written. */
export const canonicalModelRewrite = (written: unknown): unknown =>
  withList(written, "rules", canonicalRule);

function renamed(written: unknown, alias: string, name: string): unknown {
  if (!isMap(written) || written[alias] === undefined) return written;
  const { [alias]: value, ...rest } = written;
  return { ...rest, [name]: rest[name] ?? value };
}

function withList(written: unknown, field: string, read: (entry: unknown) => unknown): unknown {
  if (!isMap(written)) return written;
  const list = written[field];
  return Array.isArray(list) ? { ...written, [field]: list.map(read) } : written;
}
