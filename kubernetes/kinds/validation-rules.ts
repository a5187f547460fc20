/**
 * Rules of a CustomResourceDefinition for what JSON Schema cannot say, as `.meta(...)` of a zod schema. Their cost
 * is estimated by the API server from the bounds of lists and texts, so these need a `max`.
 */

/** A rule in the Common Expression Language, about the value it stands at (`self`). */
export interface ValidationRule {
  rule: string;
  message: string;
}

export const validations = (...rules: ValidationRule[]) => ({ "x-kubernetes-validations": rules });

/** At most one of two fields. */
export const notBoth = (field: string, other: string): ValidationRule => ({
  rule: `!has(self.${field}) || !has(self.${other})`,
  message: `set either ${field} or ${other}, not both`,
});

/** On a list of targets. */
export const weightsOfAllOrNone: ValidationRule = {
  rule: "self.all(t, has(t.weight)) || self.all(t, !has(t.weight))",
  message: "set a weight for all targets of the list, or for none",
};

/** On a list of objects that are known by a field. */
export const uniqueBy = (field: string, message: string): ValidationRule => ({
  rule: `self.all(a, self.exists_one(b, b.${field} == a.${field}))`,
  message,
});
