import { z } from "zod";
import { type AcceleratorName, acceleratorNames, acceleratorTypes } from "../accelerators/index.ts";
import { wordsOf } from "./argument.ts";

/** Accelerators that a typed service can name. */
export const AcceleratorNames = wordsOf(
  "AcceleratorName",
  "Accelerator model that the engine runs on.",
  acceleratorNames,
  (name: AcceleratorName) => `${acceleratorTypes[name].title}.`,
);

/** Resource name under which pods of a typed service request accelerators. */
export const AcceleratorResource = z
  .string()
  .regex(/^[a-z0-9.-]+\/[A-Za-z0-9._-]+$/, "a resource name, such as nvidia.com/gpu")
  .optional();
