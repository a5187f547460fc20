import { z } from "zod";
import { quantityPattern } from "../../kubernetes/kinds/field-types.ts";
import { isAccelerator } from "../../kubernetes/values/accelerators.ts";
import { output, typed, withPlainKeys } from "./argument.ts";

/** A leaf that a plan passes through untouched; it may be a Pulumi Output. */
export const leaf = output(z.unknown());

/** A string that a plan passes through untouched. */
export const text = output(z.unknown().meta({ type: "string" }), "string");

const amounts = z.record(
  z.string(),
  output(z.unknown().meta({ "x-kubernetes-int-or-string": true, pattern: quantityPattern })),
);

/** core/v1 ResourceRequirements of a program's container. */
export const resources = typed(
  "ResourceRequirementsArgs",
  z.looseObject({ limits: amounts.optional(), requests: amounts.optional() }),
);

const ownAmounts = withPlainKeys(isAccelerator, amounts).optional();

/** core/v1 ResourceRequirements of a container of a pod template: amounts of accelerators are plain. */
export const templateResources = z.looseObject({ limits: ownAmounts, requests: ownAmounts });

export type ResourceRequirements = z.infer<typeof resources>;
