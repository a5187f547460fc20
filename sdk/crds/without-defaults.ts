import { z } from "zod";

/**
 * A schema of objects that are kept as they were written: what has a default may be left out, and nothing is filled in.
 * Checks and descriptions stay.
 */
export function withoutDefaults(schema: z.ZodType): z.ZodType {
  if (
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodOptional
  )
    return saying(schema, withoutDefaults(schema.unwrap() as z.ZodType).optional());
  if (schema instanceof z.ZodObject)
    return saying(
      schema,
      schema.clone({ ...schema.def, shape: fieldsWithoutDefaults(schema.shape) }),
    );
  if (schema instanceof z.ZodArray)
    return saying(
      schema,
      schema.clone({ ...schema.def, element: withoutDefaults(schema.element as z.ZodType) }),
    );
  return schema;
}

/** The same of each field of an object. */
export const fieldsWithoutDefaults = (shape: z.ZodRawShape): Record<string, z.ZodType> =>
  Object.fromEntries(
    Object.entries(shape).map(([name, field]) => [name, withoutDefaults(field as z.ZodType)]),
  );

/** Descriptions and other metadata belong to one schema, not to its copies. */
function saying(original: z.ZodType, copy: z.ZodType): z.ZodType {
  const metadata = original.meta();
  return metadata === undefined ? copy : copy.meta(metadata);
}
