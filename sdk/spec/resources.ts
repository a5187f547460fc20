import { z } from "zod";
import { quantityPattern } from "../../kubernetes/kinds/field-types.ts";

/** A leaf that a plan passes through untouched; it may be a Pulumi Output. */
export const leaf = z.unknown();

const amount = leaf.meta({ "x-kubernetes-int-or-string": true, pattern: quantityPattern });

/** core/v1 ResourceRequirements. */
export const resources = z.looseObject({
  limits: z.record(z.string(), amount).optional(),
  requests: z.record(z.string(), amount).optional(),
});

export type ResourceRequirements = z.infer<typeof resources>;
