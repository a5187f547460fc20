import { z } from "zod";
import { objectName, portNumber } from "../../kubernetes/kinds/field-types.ts";
import { named } from "./argument.ts";
import { pickerRequestFields } from "./picker-requests.ts";
import { pickerServingFields } from "./picker-serving.ts";
import { programPodFields } from "./program-pods.ts";

/** How a pool, or the router of a service, names the picker that it shares with others. */
export const SharedPickerPort = named(
  "SharedPickerPort",
  z.strictObject({
    name: objectName.describe("Name of the SharedEndpointPicker."),
    port: portNumber.describe("One of its ports, which no other pool has."),
  }),
).describe("A port of a SharedEndpointPicker in the pool's namespace.");

/** Fields of a pool's picker, or of a router, that set how a shared picker picks for it. */
export const besideSharedFields: readonly string[] = [
  ...["strategy", "endpointPickerConfig", "kvEvents"],
  ...Object.keys(pickerRequestFields),
];

/** Fields of a router that say what a picker's pods are like. Beside a shared picker its SharedEndpointPicker says it. */
export const ownPickerFields: readonly string[] = [
  ...Object.keys(programPodFields),
  ...Object.keys(pickerServingFields),
];
