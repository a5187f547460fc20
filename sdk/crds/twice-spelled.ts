import type { z } from "zod";
import { validations } from "../../kubernetes/kinds/validation-rules.ts";
import type { Spelling } from "../spec/aliases.ts";

/** Returns the schema of a stored object in which a field may have either of two spellings. */
export function twiceSpelled<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  { field, alias }: Spelling & { readonly field: keyof Shape & string },
): z.ZodObject {
  const value = (schema.shape[field] as z.ZodType).optional();
  return schema.extend({ [field]: value, [alias]: value.describe(`Alias of ${field}.`) }).meta(
    validations({
      rule: `has(self.${field}) != has(self.${alias})`,
      message: `set either ${field} or ${alias}, which mean the same`,
    }),
  );
}
