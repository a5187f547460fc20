import { z } from "zod";
import { objectName, portNumber } from "../../kubernetes/kinds/field-types.ts";
import { named } from "../schemas/argument.ts";
import { pickerRequestFields } from "./picker-requests.ts";
import { pickerServingFields } from "./picker-serving.ts";
import { programPodFields } from "./program-pods.ts";

/** Reference from a pool, or from the router of a service, to a shared picker. */
export const SharedPickerPort = named(
  "SharedPickerPort",
  z.strictObject({
    name: objectName.describe("Name of the SharedEndpointPicker."),
    port: portNumber.describe("Port of the shared picker that no other pool uses."),
  }),
).describe("Port of a SharedEndpointPicker in the pool's namespace.");

/** Fields of a pool's picker, or of a router, that may be set together with a shared picker. */
export const besideSharedFields: readonly string[] = [
  ...["strategy", "endpointPickerConfig", "kvEvents"],
  ...Object.keys(pickerRequestFields),
];

/** Fields of a router that configure a picker's pods. With a shared picker they are set in its SharedEndpointPicker. */
export const ownPickerFields: readonly string[] = [
  ...Object.keys(programPodFields),
  ...Object.keys(pickerServingFields),
];
