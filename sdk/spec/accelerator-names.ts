import {
  type AcceleratorName,
  acceleratorNames,
  acceleratorTypes,
  usualAccelerators,
} from "../accelerators/index.ts";
import { wordsOf } from "./argument.ts";
import { resourceName } from "./resources.ts";

/** Accelerators that a typed service can name. */
export const AcceleratorNames = wordsOf(
  "AcceleratorName",
  "Accelerator model that the engine runs on.",
  [...new Set([...usualAccelerators, ...acceleratorNames])],
  (name: AcceleratorName) => `${acceleratorTypes[name].title}.`,
);

/** Resource name under which pods of a typed service request accelerators. */
export const AcceleratorResource = resourceName("nvidia.com/gpu").optional();
