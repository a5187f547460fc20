import type { z } from "zod";
import type { KindAddress } from "../../kubernetes/kinds/kind.ts";
import { isDeferred } from "../../kubernetes/values/deferred.ts";
import { knownLater } from "./known-later.ts";
import { objectSchemas, type Schema } from "./object-schemas.ts";
import { valueProblems } from "./schema-problems.ts";

/** Facts in an issue of a field that Kubernetes does not have. */
export interface UnknownFieldParams {
  /** Fields that the object has. */
  readonly fields: readonly string[];
}

/** Refuses unknown fields and invalid values in an object of a type of core/v1, such as `Toleration`. */
export const coreObject = <S extends z.ZodType>(type: string, schema: S): S =>
  checked(schema, () => objectSchemas().definitions[`io.k8s.api.core.v1.${type}`] ?? {});

/**
 * Refuses unknown fields and invalid values in a part of an object, which the plan completes.
 *
 * @param path fields of the part below `spec`; a list's items are meant
 * @param own fields that Kubernetes does not have
 */
export const partOf = <S extends z.ZodType>(
  { apiVersion, kind }: KindAddress,
  path: readonly string[],
  schema: S,
  own: Readonly<Record<string, Schema>> = {},
): S =>
  checked(schema, () => {
    const { properties } = objectSchemas().kinds[`${apiVersion}/${kind}`]?.schema ?? {};
    const part = path.reduce<Schema>(
      (outer, field) => itemsOf(outer.properties?.[field] ?? {}),
      properties?.spec ?? {},
    );
    return { ...part, properties: { ...part.properties, ...own } };
  });

const itemsOf = (schema: Schema): Schema => schema.items ?? schema;

const isLater = (value: unknown) => value === knownLater || isDeferred(value);

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;

const checked = <S extends z.ZodType>(schema: S, definition: () => Schema): S =>
  schema.superRefine((value, context) => {
    // The plan may add required fields and items, and an Output has none yet.
    const { required: _, ...part } = definition();
    const problems = [...valueProblems(value, part, isLater)];
    for (const { path, allowed, fields } of problems.filter((each) => !isEmptyList(each.value)))
      context.addIssue({
        code: "custom",
        path: [...path],
        message: allowed,
        ...(fields && { params: { fields } satisfies UnknownFieldParams }),
      });
  }) as S;
