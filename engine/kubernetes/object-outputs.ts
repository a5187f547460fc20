import {
  carrySecrets,
  isMap,
  type PropertyMap,
  UNKNOWN,
  withoutSecrets,
} from "../property-value.ts";
import { type KubernetesObject, toProperties } from "./object.ts";

// Fields that the Pulumi provider adds to the live object, with the same names.
const INPUTS = "__inputs";
const INITIAL_VERSION = "__initialApiVersion";
const FIELD_MANAGER = "__fieldManager";

/** Returns the outputs of a resource: the live object, with the secrets of the inputs marked as secrets. */
export function objectOutputs(
  live: KubernetesObject,
  inputs: PropertyMap,
  manager: string,
): PropertyMap {
  const outputs = carrySecrets(toProperties(live), inputs);
  return {
    ...withSecretData(outputs, inputs),
    [INPUTS]: inputs,
    [INITIAL_VERSION]: live.apiVersion,
    [FIELD_MANAGER]: manager,
  };
}

/** The API server writes a Secret's `stringData` into `data`: secrets there are also marked here. */
function withSecretData(outputs: PropertyMap, inputs: PropertyMap): PropertyMap {
  const { stringData } = inputs;
  if (outputs.kind !== "Secret" || stringData === undefined || !isMap(outputs.data)) return outputs;
  return { ...outputs, ...carrySecrets({ data: outputs.data }, { data: stringData }) };
}

/** Returns the known outputs in a preview of an object for which no dry run is possible. */
export function previewOutputs(inputs: PropertyMap): PropertyMap {
  const { metadata } = inputs;
  if (!isMap(metadata)) return inputs;
  const serverSet = {
    uid: UNKNOWN,
    resourceVersion: UNKNOWN,
    generation: UNKNOWN,
    creationTimestamp: UNKNOWN,
  };
  return { ...inputs, metadata: { ...serverSet, ...metadata } };
}

export function recordedManager(outputs: PropertyMap): string | undefined {
  const manager = withoutSecrets(outputs[FIELD_MANAGER]);
  return typeof manager === "string" ? manager : undefined;
}

/** Returns the live object as it was last read. */
export function lastSeenObject(outputs: PropertyMap): PropertyMap {
  const {
    [INPUTS]: _inputs,
    [INITIAL_VERSION]: _version,
    [FIELD_MANAGER]: _manager,
    ...live
  } = outputs;
  return withoutSecrets(live);
}
