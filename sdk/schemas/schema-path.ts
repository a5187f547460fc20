import { z } from "zod";
import { ownField } from "../../kubernetes/values/records.ts";

/** Fields of an object that are not in its schema, because Kubernetes defines them. */
type PassedThrough = "passed-through";

/** Returns the schema of a field, a list entry or a map value; undefined if the schema has none at that path. */
export function stepInto(
  schema: z.ZodType,
  step: string | number,
): z.ZodType | PassedThrough | undefined {
  if (schema instanceof z.ZodArray) return schema.element as z.ZodType;
  if (schema instanceof z.ZodRecord) return schema.valueType as z.ZodType;
  if (!(schema instanceof z.ZodObject)) return undefined;
  const field = ownField(schema.shape, String(step)) as z.ZodType | undefined;
  return field ?? (schema.def.catchall instanceof z.ZodUnknown ? "passed-through" : undefined);
}
