import { wordsOf } from "../../schemas/argument.ts";
import { resourceName } from "../../schemas/resources.ts";
import {
  type AcceleratorName,
  acceleratorNames,
  acceleratorTypes,
  usualAccelerators,
} from "../accelerators/index.ts";

/** Accelerators that a typed service can name. */
export const AcceleratorNames = wordsOf(
  "AcceleratorName",
  "Accelerator model that the engine runs on.",
  [...new Set([...usualAccelerators, ...acceleratorNames])],
  (name: AcceleratorName) => `${acceleratorTypes[name].title}.`,
);

/** Resource name under which pods of a typed service request accelerators. */
export const AcceleratorResource = resourceName("nvidia.com/gpu").optional();
