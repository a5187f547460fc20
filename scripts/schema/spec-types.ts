import { z } from "zod";
import { bare, enumerations, factsOf } from "../../sdk/schemas/argument.ts";
import { componentArguments } from "../../sdk/spec/components.ts";

/** Facts of the specs' types that Pulumi's analyzer does not read from TypeScript, by the names in the schema. */
export interface SpecTypes {
  readonly descriptions: ReadonlyMap<string, string>;
  /** Fields with fractions, as `type.field`. All other numbers are integers. */
  readonly fractions: ReadonlySet<string>;
}

/** Reads the types of all components' arguments. */
export function specTypes(): SpecTypes {
  const descriptions = new Map<string, string>();
  const fractions = new Set<string>();
  for (const [name, { description }] of enumerations) descriptions.set(name, description);
  const seen = new Set<z.ZodType>();
  const visit = (schema: z.ZodType, field: string): void => {
    const known = bare(schema);
    if (known instanceof z.ZodNumber && !known.isInt) fractions.add(field);
    if (seen.has(known)) return;
    if (!(known instanceof z.ZodNumber)) seen.add(known);
    for (const part of partsOf(known)) visit(part, field);
    if (!(known instanceof z.ZodObject || known instanceof z.ZodDiscriminatedUnion)) return;
    const { name } = factsOf(schema);
    if (name !== undefined && known.description !== undefined)
      descriptions.set(name, known.description);
    const objects =
      known instanceof z.ZodObject ? [known] : (known.options as readonly z.ZodObject[]);
    for (const { shape } of objects)
      for (const [key, value] of Object.entries(shape)) visit(value as z.ZodType, `${name}.${key}`);
  };
  for (const schema of Object.values(componentArguments)) visit(schema, "");
  return { descriptions, fractions };
}

function partsOf(schema: z.ZodType): readonly z.ZodType[] {
  if (schema instanceof z.ZodArray) return [schema.element as z.ZodType];
  if (schema instanceof z.ZodRecord) return [schema.valueType as z.ZodType];
  if (schema instanceof z.ZodDiscriminatedUnion) return [];
  if (schema instanceof z.ZodUnion) return schema.options as readonly z.ZodType[];
  return [];
}
