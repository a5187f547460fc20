import { z } from "zod";
import { named } from "./argument.ts";

const Accelerator = named(
  "Accelerator",
  z.strictObject({
    resource: z
      .string()
      .regex(/^[^/\s]+\/[^/\s]+$/, "domain/name, such as example.com/npu")
      .describe("Name of the resource, as containers have it in their limits."),
    perDevice: z
      .int()
      .min(1)
      .optional()
      .describe(
        "Units of the resource that are one device, such as 100 for a percentage. Default: as known for the resource, else 1.",
      ),
    ranksPerDevice: z
      .int()
      .min(1)
      .optional()
      .describe(
        "Ranks of an engine that run on one device, such as 2 for aws.amazon.com/neuron on Inferentia 2. Default: as known for the resource, else 1.",
      ),
  }),
).describe("A resource that counts accelerators.");

export const Accelerators = z.array(Accelerator).min(1).max(32);

/** A resource that a service names as an accelerator. */
export type NamedAccelerator = z.infer<typeof Accelerator>;
