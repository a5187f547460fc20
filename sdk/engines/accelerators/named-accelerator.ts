import { z } from "zod";
import { positiveInteger } from "../../../kubernetes/kinds/field-types.ts";
import { named } from "../../schemas/argument.ts";

const Accelerator = named(
  "Accelerator",
  z.strictObject({
    resource: z
      .string()
      .regex(/^[^/\s]+\/[^/\s]+$/, "domain/name, as example.com/npu")
      .describe("Resource name in the containers' limits."),
    perDevice: positiveInteger
      .optional()
      .describe(
        "Units of the resource that make up one device, such as 100 for a resource in percent. Default: the known value of the resource, else 1.",
      ),
    ranksPerDevice: positiveInteger
      .optional()
      .describe(
        "Engine ranks that run on one device, such as 2 for aws.amazon.com/neuron on Inferentia 2. Default: the known value of the resource, else 1.",
      ),
  }),
).describe("Resource that counts accelerators.");

export const Accelerators = z.array(Accelerator).min(1).max(32);

/** Resource that a service declares as an accelerator. */
export type NamedAccelerator = z.infer<typeof Accelerator>;
