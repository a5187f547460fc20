import { z } from "zod";
import { quantityPattern } from "../../kubernetes/kinds/field-types.ts";
import { isAccelerator } from "../../kubernetes/values/accelerators.ts";
import { output, typed, withPlainKeys } from "./argument.ts";
import { coreObject } from "./kubernetes-object.ts";

/** Leaf value that a plan passes through unchanged; it may be a Pulumi Output. */
export const leaf = output(z.unknown());

/** String that a plan passes through unchanged. */
export const text = output(z.unknown().meta({ type: "string" }), "string");

/** Name of a resource that a device plugin or a DRA driver serves. */
export const resourceName = (example: string) =>
  z
    .string()
    .regex(/^[a-z0-9.-]+\/[A-Za-z0-9._-]+$/, { error: `a resource name, such as ${example}` });

const amounts = z.record(
  z.string(),
  output(z.unknown().meta({ "x-kubernetes-int-or-string": true, pattern: quantityPattern })),
);

/** Resources of a program's container (core/v1 ResourceRequirements). */
export const resources = typed(
  "ResourceRequirementsArgs",
  coreObject(
    "ResourceRequirements",
    z.looseObject({ limits: amounts.optional(), requests: amounts.optional() }),
  ),
);

const ownAmounts = withPlainKeys(isAccelerator, amounts).optional();

/**
 * Resources of a container in a pod template (core/v1 ResourceRequirements). Amounts of accelerators must be plain
 * values.
 */
export const templateResources = z.looseObject({ limits: ownAmounts, requests: ownAmounts });

export type ResourceRequirements = z.infer<typeof resources>;
