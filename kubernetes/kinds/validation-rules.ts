/**
 * Rules of a CustomResourceDefinition that JSON Schema cannot express, as `.meta(...)` of a zod schema. The API server
 * estimates their cost from the limits of lists and strings, so each of these needs a `max`.
 */

/** Rule in the Common Expression Language about the value that contains it (`self`). */
export interface ValidationRule {
  rule: string;
  message: string;
}

export const validations = (...rules: ValidationRule[]) => ({ "x-kubernetes-validations": rules });

/** Returns a rule that allows at most one of two fields. */
export const notBoth = (field: string, other: string): ValidationRule => ({
  rule: `!has(self.${field}) || !has(self.${other})`,
  message: `set either ${field} or ${other}, not both`,
});

/** Rule on a list of targets: all have a weight, or none has one. */
export const weightsOfAllOrNone: ValidationRule = {
  rule: "self.all(t, has(t.weight)) || self.all(t, !has(t.weight))",
  message: "set a weight for all targets of the list, or for none",
};

/** Returns a rule on a list of objects that are identified by a field. */
export const uniqueBy = (field: string, message: string): ValidationRule => ({
  rule: `self.all(a, self.exists_one(b, b.${field} == a.${field}))`,
  message,
});
