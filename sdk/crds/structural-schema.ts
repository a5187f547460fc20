import { z } from "zod";
import type { ValidationRule } from "../../kubernetes/kinds/validation-rules.ts";

/** A schema in a CustomResourceDefinition (OpenAPI v3, structural). */
export interface StructuralSchema {
  type?: string;
  description?: string;
  properties?: Record<string, StructuralSchema>;
  additionalProperties?: StructuralSchema;
  items?: StructuralSchema;
  required?: string[];
  enum?: unknown[];
  "x-kubernetes-validations"?: ValidationRule[];
  [keyword: string]: unknown;
}

/**
 * Returns the structural schema of a zod schema's input. Checks by functions have no counterpart: state them again as
 * CEL, in `.meta({ "x-kubernetes-validations": [...] })`.
 */
export function structuralSchema(schema: z.ZodType): StructuralSchema {
  return structural(
    z.toJSONSchema(schema, { io: "input", target: "openapi-3.0", reused: "inline" }) as JsonSchema,
    [],
  );
}

/** The JSON schema that zod generates. */
interface JsonSchema {
  type?: string;
  properties?: Record<string, JsonSchema>;
  additionalProperties?: JsonSchema | boolean;
  items?: JsonSchema;
  required?: string[];
  enum?: unknown[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  [keyword: `x-kubernetes-${string}`]: unknown;
}

const preserved = { "x-kubernetes-preserve-unknown-fields": true } as const;

function structural(schema: JsonSchema, path: readonly string[]): StructuralSchema {
  const { anyOf, oneOf, items, ...rest } = schema;
  const union = oneOf ?? anyOf;
  if (schema["x-kubernetes-int-or-string"] === true) {
    return { ...(rest as StructuralSchema), anyOf: [{ type: "integer" }, { type: "string" }] };
  }
  if (schema["x-kubernetes-preserve-unknown-fields"] === true) return rest as StructuralSchema;
  if (union !== undefined) {
    const merged = structural(mergeUnion(union, path), path);
    const own = rest as StructuralSchema;
    const rules = [...rulesOf(merged), ...rulesOf(own)];
    return { ...merged, ...own, ...(rules.length > 0 && { "x-kubernetes-validations": rules }) };
  }
  switch (schema.type) {
    case undefined:
      return { ...(rest as StructuralSchema), ...preserved };
    case "object":
      return structuralObject(rest, path);
    case "array":
      return { ...(rest as StructuralSchema), items: structural(items ?? {}, [...path, "[]"]) };
    case "integer":
      return wholeNumber(rest);
    default:
      return rest as StructuralSchema;
  }
}

const rulesOf = (schema: StructuralSchema) => schema["x-kubernetes-validations"] ?? [];

/** Unknown fields are pruned or refused unless the schema keeps them. */
function structuralObject(schema: JsonSchema, path: readonly string[]): StructuralSchema {
  const { properties, additionalProperties, required = [], items: _, ...rest } = schema;
  const isClosed = typeof additionalProperties !== "object";
  const keepsUnknown = !isClosed && Object.keys(additionalProperties).length === 0;
  return {
    ...(rest as StructuralSchema),
    ...(keepsUnknown && preserved),
    ...(!isClosed &&
      !keepsUnknown && { additionalProperties: structural(additionalProperties, [...path, "*"]) }),
    ...(properties !== undefined &&
      Object.keys(properties).length > 0 && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([key, value]) => [
            key,
            structural(value, [...path, key]),
          ]),
        ),
      }),
    ...(required.length > 0 && { required: [...required] }),
  };
}

/** The format implies the bounds of int32. The bounds of JavaScript's safe integers do not belong to the field. */
function wholeNumber({ minimum, maximum, ...rest }: JsonSchema): StructuralSchema {
  const maxInt32 = 2 ** 31 - 1;
  return {
    ...(rest as StructuralSchema),
    ...(maximum === maxInt32 && { format: "int32" }),
    ...(minimum !== undefined && minimum > -maxInt32 - 1 && { minimum }),
    ...(maximum !== undefined && maximum < maxInt32 && { maximum }),
  };
}

/** Returns the members of a union as one schema: literals as an enum. */
function mergeUnion(members: readonly JsonSchema[], path: readonly string[]): JsonSchema {
  const type = members[0]?.type;
  if (type !== undefined && members.every((member) => member.type === type)) {
    if (members.every((member) => member.enum !== undefined)) {
      const values = members.flatMap((member) => member.enum ?? []);
      return { type: values.every(Number.isInteger) ? "integer" : type, enum: values };
    }
  }
  throw new Error(
    `${path.join(".") || "the schema"}: a union of ${members.map((member) => member.type ?? "anything").join(" and ")} ` +
      "has no structural schema; allowed: literals of one type, and integers with strings under " +
      "x-kubernetes-int-or-string. Describe the field as one of these.",
  );
}
