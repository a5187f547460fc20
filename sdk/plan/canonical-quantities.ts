import { isDeferred, isKnownMap, mapDeferred } from "../../kubernetes/values/deferred.ts";
import { formatQuantity, parseQuantity } from "../../kubernetes/values/quantity.ts";
import type { Container, PodSpec } from "../schemas/pod-template.ts";
import type { ResourceRequirements } from "../schemas/resources.ts";

/**
 * Returns the pod spec with quantities in the form that API server clients write: `8` as "8", "1000m" as "1". Webhooks
 * convert quantities to this form, so that with any other form every preview would show an update.
 */
export function withCanonicalQuantities(spec: PodSpec): PodSpec {
  const { initContainers, overhead, volumes } = spec;
  return {
    ...spec,
    containers: spec.containers.map(canonicalContainer),
    ...(initContainers && { initContainers: initContainers.map(canonicalContainer) }),
    ...(isKnownMap(overhead) ? { overhead: canonicalList(overhead) } : {}),
    ...(Array.isArray(volumes) ? { volumes: volumes.map(canonicalVolume) } : {}),
  };
}

function canonicalContainer(container: Container): Container {
  const { env, resources } = container;
  return {
    ...container,
    ...(Array.isArray(env) ? { env: env.map(canonicalVariable) } : {}),
    ...(resources && { resources: canonicalResources(resources) }),
  };
}

/** The divisor of a resource field reference in a variable is a quantity. */
function canonicalVariable(variable: unknown): unknown {
  if (!isKnownMap(variable) || !isKnownMap(variable.valueFrom)) return variable;
  const { resourceFieldRef } = variable.valueFrom;
  if (!isKnownMap(resourceFieldRef) || resourceFieldRef.divisor === undefined) return variable;
  const divisor = canonical(resourceFieldRef.divisor);
  const valueFrom = { ...variable.valueFrom, resourceFieldRef: { ...resourceFieldRef, divisor } };
  return { ...variable, valueFrom };
}

export function canonicalResources(resources: ResourceRequirements): ResourceRequirements {
  const { limits, requests } = resources;
  return {
    ...resources,
    ...(limits && { limits: canonicalList(limits) }),
    ...(requests && { requests: canonicalList(requests) }),
  };
}

/** Quantities of a volume are the sizeLimit of an emptyDir and the resources of an ephemeral volume's claim. */
function canonicalVolume(volume: unknown): unknown {
  if (!isKnownMap(volume)) return volume;
  const { emptyDir, ephemeral } = volume;
  if (isKnownMap(emptyDir) && emptyDir.sizeLimit !== undefined) {
    return { ...volume, emptyDir: { ...emptyDir, sizeLimit: canonical(emptyDir.sizeLimit) } };
  }
  const claim = isKnownMap(ephemeral) ? ephemeral.volumeClaimTemplate : undefined;
  if (
    !isKnownMap(ephemeral) ||
    !isKnownMap(claim) ||
    !isKnownMap(claim.spec) ||
    !isKnownMap(claim.spec.resources)
  )
    return volume;
  const spec = { ...claim.spec, resources: canonicalResources(claim.spec.resources) };
  return { ...volume, ephemeral: { ...ephemeral, volumeClaimTemplate: { ...claim, spec } } };
}

const canonicalList = (quantities: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(quantities).map(([name, value]) => [name, canonical(value)]));

/** Returns non-quantities unchanged. An Output is mapped, so that its value is canonical when it resolves. */
function canonical(value: unknown): unknown {
  if (isDeferred(value)) return mapDeferred(value, canonical);
  const quantity = parseQuantity(value);
  return quantity === undefined ? value : formatQuantity(quantity);
}
