import { type AcceleratorName, acceleratorNames, acceleratorTypes } from "../accelerators/index.ts";
import { wordsOf } from "./argument.ts";

/** The accelerators of a typed service. */
export const AcceleratorNames = wordsOf(
  "AcceleratorName",
  "The accelerator on which a model runs.",
  acceleratorNames,
  (name: AcceleratorName) => `${acceleratorTypes[name].title}.`,
);
