/** The accelerator on which the pods of a template run, if the template selects it. */

import type { AcceleratorType } from "../accelerators/accelerator.ts";
import { type AcceleratorName, acceleratorTypes } from "../accelerators/index.ts";
import { acceleratorsOfLabels } from "../accelerators/node-labels.ts";
import { requiredTerms } from "../topology/node-terms.ts";

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
 * Returns the accelerators that a pod selects by labels of nodes. Each label counts that selects one accelerator, so two
 * accelerators mean that no node fits or that its labels disagree.
 */
export function selectedAccelerators(pod: Selecting): AcceleratorName[] {
  const terms = requiredTerms(pod) ?? [];
  const byTerm = terms.map(({ matchExpressions = [] }) =>
    acceleratorsOfLabels(
      matchExpressions.flatMap(({ key, operator, values = [] }) =>
        operator === "In" ? values.map((value) => [key, value] as const) : [],
      ),
    ),
  );
  const [alternative, ...others] = [...new Set(byTerm.flat())];
  // A term that names no accelerator accepts every node.
  const required =
    others.length === 0 && alternative !== undefined && byTerm.every((each) => each.length > 0)
      ? [alternative]
      : [];
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
