import { z } from "zod";
import { type ValidationRule, validations } from "../../kubernetes/kinds/validation-rules.ts";
import { descriptionOf, factsOf, unwrapped } from "../schemas/argument.ts";

/**
 * Returns the schema of objects that an API server stores as they were written: fields with a default are optional,
 * and defaults are not filled in. A field with a stored form gets that form. Checks and descriptions remain, and
 * descriptions name the default.
 */
export function stored(schema: z.ZodType): z.ZodType {
  const parts = unwrapped(schema);
  const inner = parts.at(-1) as z.ZodType;
  const loose = factsOf(schema).stored;
  const kept = loose !== undefined ? storedValue(loose) : storedValue(inner);
  const value = parts.length > 1 ? kept.optional() : kept;
  const description = descriptionOf(schema);
  return description === undefined ? value : value.describe(description);
}

function storedValue(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodObject)
    return like(
      schema,
      schema.clone({
        ...schema.def,
        shape: Object.fromEntries(
          Object.entries(schema.shape).map(([name, field]) => [name, stored(field as z.ZodType)]),
        ),
      }),
    );
  if (schema instanceof z.ZodArray)
    return like(
      schema,
      schema.clone({ ...schema.def, element: stored(schema.element as z.ZodType) }),
    );
  if (schema instanceof z.ZodDiscriminatedUnion) return storedVariants(schema);
  return schema;
}

/** Copies the metadata of a schema, which zod does not do. */
function like<Schema extends z.ZodType>(original: z.ZodType, copy: Schema): Schema {
  const metadata = original.meta();
  return metadata === undefined ? copy : (copy.meta(metadata) as Schema);
}

/**
 * Merges the objects of a discriminated union into one object with all their fields, because a structural schema may
 * not define fields in branches. CEL rules restrict each field to the objects that have it, except for a field with a
 * stored form, which is allowed in all of them.
 */
function storedVariants(union: z.ZodDiscriminatedUnion): z.ZodType {
  const key = union.def.discriminator;
  const variants = (union.options as z.ZodObject[]).map(({ shape }) => ({
    shape: shape as Readonly<Record<string, z.ZodType>>,
    tags: tagsOf(shape[key] as z.ZodType),
  }));
  const tags = variants.flatMap((variant) => variant.tags);
  const shape: Record<string, z.ZodType> = {};
  const rules: ValidationRule[] = [];
  for (const { shape: fields } of variants) {
    for (const [name, field] of Object.entries(fields)) {
      if (name === key || name in shape) continue;
      const having = variants.filter((variant) => name in variant.shape);
      const isCommon = having.length === variants.length;
      shape[name] = isCommon ? stored(field) : stored(field).optional();
      if (isCommon || factsOf(field).stored !== undefined) continue;
      rules.push(
        onlyFor(
          name,
          key,
          having.flatMap((variant) => variant.tags),
          tags,
        ),
      );
    }
  }
  const description = descriptionOf(variants[0]?.shape[key] as z.ZodType) ?? "";
  return z
    .strictObject({ [key]: z.enum(tags).describe(description), ...shape })
    .meta({ ...union.meta(), ...validations(...rules, ...rulesOf(union)) });
}

const rulesOf = (schema: z.ZodType) =>
  (schema.meta()?.["x-kubernetes-validations"] ?? []) as ValidationRule[];

const tagsOf = (schema: z.ZodType): string[] =>
  (schema instanceof z.ZodLiteral ? [...schema.values] : (schema as z.ZodEnum).options).map(String);

/** Returns the rule that allows a field only in objects with one tag, or in all except those with one tag. */
function onlyFor(
  field: string,
  key: string,
  having: readonly string[],
  all: readonly string[],
): ValidationRule {
  const [only, ...more] = having;
  if (more.length === 0)
    return {
      rule: `!has(self.${field}) || self.${key} == '${only}'`,
      message: `${field} is only for a ${only}`,
    };
  const [without, ...others] = all.filter((tag) => !having.includes(tag));
  if (others.length > 0) throw new Error(`${field}: missing in more than one ${key}`);
  return {
    rule: `!has(self.${field}) || self.${key} != '${without}'`,
    message: `${field} is not for a ${without}`,
  };
}
