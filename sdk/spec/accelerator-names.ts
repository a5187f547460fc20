import { z } from "zod";
import { type AcceleratorName, acceleratorNames, acceleratorTypes } from "../accelerators/index.ts";
import { wordsOf } from "./argument.ts";

/** The accelerators of a typed service. */
export const AcceleratorNames = wordsOf(
  "AcceleratorName",
  "The accelerator on which a model runs.",
  acceleratorNames,
  (name: AcceleratorName) => `${acceleratorTypes[name].title}.`,
);

/** The resource by which pods of a typed service request accelerators. */
export const AcceleratorResource = z
  .string()
  .regex(/^[a-z0-9.-]+\/[A-Za-z0-9._-]+$/, "a resource name, such as nvidia.com/gpu")
  .optional();
