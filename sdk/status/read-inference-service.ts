import { isMap } from "../../kubernetes/values/records.ts";
import { SpecError } from "../errors.ts";
import { annotation } from "../names.ts";
import { withExtensions } from "../plan/status-object.ts";
import { anySupport } from "../plugins/registry.ts";
import type { InferenceService } from "../spec/inference-service.ts";
import { fromManifest } from "../spec/inference-service-manifest.ts";
import { parseInferenceService } from "../validate/inference-service.ts";

/** A parsed service, or the reason that its object is not valid. */
export type ServiceReading =
  | { readonly service: InferenceService; readonly problem?: never }
  | { readonly service?: never; readonly problem: string };

/**
 * Reads an InferenceService object of a cluster, including the fields in its annotation that the served schema lacks.
 * The result has no labels and annotations: a status does not depend on them, and a planned object has reserved ones
 * that a spec must not contain.
 */
export function readInferenceService(object: unknown): ServiceReading {
  try {
    const { metadata, spec } = wholeService(object);
    const { name, namespace } = metadata;
    return {
      service: parseInferenceService(
        { metadata: { name, ...(namespace !== undefined && { namespace }) }, spec },
        anySupport,
      ),
    };
  } catch (error) {
    if (error instanceof SpecError) return { problem: error.message };
    throw error;
  }
}

/**
 * Returns the metadata of an InferenceService object, and its spec with the fields in its annotation.
 *
 * @throws SpecError for an object of another kind, and an annotation that is not JSON
 */
export function wholeService(object: unknown) {
  const { metadata, spec } = fromManifest(object);
  const extensions = metadata.annotations?.[annotation.extensions];
  const whole = extensions === undefined ? spec : withExtensions(spec, parseExtensions(extensions));
  return { metadata, spec: asPlanned(whole) };
}

/** Fields from which a plan writes the templates. */
const typedValues = ["model", "accelerator", "acceleratorResource", "engine", "network"];

/**
 * Returns a planned spec without the values from which its templates were written: another version of this library
 * would write other templates from them. A spec without templates is returned unchanged.
 */
function asPlanned(spec: unknown): unknown {
  if (!isMap(spec) || !Array.isArray(spec.roles)) return spec;
  const roles: unknown[] = spec.roles;
  const isPlanned = roles.every(
    (role) => isMap(role) && (role.componentType === "router" || role.template !== undefined),
  );
  if (!isPlanned) return spec;
  const untyped = (fields: object) =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => !typedValues.includes(name)));
  return { ...untyped(spec), roles: roles.map((role) => untyped(role as object)) };
}

function parseExtensions(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SpecError(`annotation ${annotation.extensions}`, [
      {
        code: "shape",
        path: [],
        given: "is not JSON",
        allowed: "JSON with the fields that are not in the object's schema",
        fix: "Apply the object again, or remove the annotation.",
      },
    ]);
  }
}
