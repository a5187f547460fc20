/** The accelerator on which the pods of a template run, if the template selects it. */

import type { AcceleratorType } from "../accelerators/accelerator.ts";
import { type AcceleratorName, acceleratorTypes } from "../accelerators/index.ts";
import { acceleratorsOfLabels } from "../accelerators/node-labels.ts";
import { type NodeSelectorTerm, requiredTerms } from "../accelerators/node-terms.ts";

/** The part of a pod that selects nodes and devices. */
export interface Selecting {
  readonly nodeSelector?: unknown;
  readonly affinity?: unknown;
  readonly containers: ReadonlyArray<{ readonly resources?: unknown }>;
}

/** Returns the only accelerator on which a pod may run; undefined if it is unknown. */
export function acceleratorOfPod(pod: Selecting): AcceleratorType | undefined {
  const slice = sliceOf(pod);
  const found = selectedAccelerators(pod);
  const [name] = found;
  if (found.length > 1) return undefined;
  if (slice === undefined) return name === undefined ? undefined : acceleratorTypes[name];
  const names = Object.keys(acceleratorTypes) as AcceleratorName[];
  const slices = names.filter((each) => acceleratorTypes[each].resource === slice);
  const ofGpu = slices.filter((each) => name === undefined || each.startsWith(`${name}-`));
  return ofGpu.length === 1 && ofGpu[0] !== undefined ? acceleratorTypes[ofGpu[0]] : undefined;
}

/**
 * Returns the accelerator that decides whether a model fits if a pod may run on several: the smallest accelerator that
 * its node affinity accepts, or else the largest accelerator with the requested resource. The title contains the
 * reason.
 */
export function decidingAccelerator(pod: Selecting): AcceleratorType | undefined {
  const accepted = alternatives(pod).map((name) => acceleratorTypes[name]);
  if (accepted.length > 1)
    return titled(leastMemory(accepted), "one of the accelerators that the pod accepts");
  const resources = pod.containers.flatMap(({ resources }) => requestedDevices(resources));
  const offered = Object.values<AcceleratorType>(acceleratorTypes).filter(
    ({ resource, memoryGiB }) =>
      resource !== undefined && resources.includes(resource) && Number.isFinite(memoryGiB),
  );
  const largest = offered.toSorted((a, b) => b.memoryGiB - a.memoryGiB)[0];
  return titled(largest, `the ${largest?.resource} with the most memory`);
}

const leastMemory = (types: readonly AcceleratorType[]) =>
  types.toSorted((a, b) => a.memoryGiB - b.memoryGiB)[0];

const titled = (type: AcceleratorType | undefined, reason: string): AcceleratorType | undefined =>
  type && { ...type, title: `${type.title} (${reason})` };

const requestedDevices = (resources: unknown): string[] =>
  Object.entries((resources ?? {}) as Record<string, unknown>)
    .filter(([field]) => field === "limits" || field === "requests")
    .flatMap(([, amounts]) => Object.keys((amounts ?? {}) as object));

/** Returns the accelerators that required node affinity accepts, if each of its terms names one. */
function alternatives(pod: Selecting): AcceleratorName[] {
  const byTerm = (requiredTerms(pod) ?? []).map(acceleratorsOfTerm);
  return byTerm.every((each) => each.length > 0) ? [...new Set(byTerm.flat())] : [];
}

const acceleratorsOfTerm = ({ matchExpressions = [] }: NodeSelectorTerm): AcceleratorName[] =>
  acceleratorsOfLabels(
    matchExpressions.flatMap(({ key, operator, values = [] }) =>
      operator === "In" ? values.map((value) => [key, value] as const) : [],
    ),
  );

/**
 * Returns the accelerators that a pod selects by labels of nodes. Every label that selects a single accelerator counts,
 * so two accelerators mean that no node fits or that its labels disagree.
 */
export function selectedAccelerators(pod: Selecting): AcceleratorName[] {
  const accepted = alternatives(pod);
  const required = accepted.length === 1 ? accepted : [];
  const selector = Object.entries((pod.nodeSelector ?? {}) as Record<string, unknown>);
  const selected = acceleratorsOfLabels(
    selector.flatMap(([key, value]) => (typeof value === "string" ? [[key, value] as const] : [])),
  );
  return [...new Set([...required, ...selected])];
}

/** Returns the resource of a MIG instance that a container requests. */
function sliceOf({ containers }: Selecting): string | undefined {
  for (const { resources } of containers) {
    const { limits } = (resources ?? {}) as { readonly limits?: unknown };
    const slice = Object.keys((limits ?? {}) as object).find((name) =>
      name.startsWith("nvidia.com/mig-"),
    );
    if (slice !== undefined) return slice;
  }
  return undefined;
}
