import { isKnownMap } from "../../../kubernetes/values/deferred.ts";
import { acceleratorTypes } from "../../engines/accelerators/index.ts";
import {
  labelsOfNodesWith,
  nodeLabelKeys,
  type RequiredLabel,
} from "../../engines/accelerators/node-labels.ts";
import { type Toleration, tolerationsFor } from "../../engines/accelerators/node-taints.ts";
import { type NodeSelectorTerm, requiredTerms } from "../../engines/accelerators/node-terms.ts";
import type { PodSpec } from "../../schemas/pod-template.ts";
import type { InferenceServiceSpec } from "../../spec/inference-service.ts";
import { type InferenceRole, isInferenceRole } from "../../spec/role.ts";

/**
 * Returns the spec with pods that run only on nodes of their accelerator: required node affinity to a label of the
 * accelerator, and tolerations for the taints of its node pools. A template that selects nodes by one of these labels
 * is unchanged.
 */
export function withNodePlacement(spec: InferenceServiceSpec): InferenceServiceSpec {
  return {
    ...spec,
    roles: spec.roles.map((role) => {
      if (!isInferenceRole(role)) return role;
      const { template } = role;
      return { ...role, template: { ...template, spec: placedPod(template.spec, role, spec) } };
    }),
  };
}

function placedPod(pod: PodSpec, role: InferenceRole, service: InferenceServiceSpec): PodSpec {
  const { any, selector, tolerations } = role.nodes ?? service.nodes ?? {};
  const name = role.accelerator ?? service.accelerator;
  const isFree = any || selector !== undefined || selectsAccelerator(pod);
  const resource = role.acceleratorResource ?? service.acceleratorResource ?? "";
  const alternatives =
    isFree || name === undefined ? [] : labelsOfNodesWith(name, resource.endsWith(".shared"));
  const planned =
    any || name === undefined || selectsAccelerator(pod)
      ? []
      : tolerationsFor(acceleratorTypes[name]);
  const selecting = selector
    ? { ...pod, nodeSelector: { ...selector, ...selectorOf(pod) } }
    : withAffinity(pod, alternatives);
  return withTolerations(selecting, tolerations ?? planned);
}

const selectorOf = ({ nodeSelector }: PodSpec): Record<string, unknown> =>
  isKnownMap(nodeSelector) ? nodeSelector : {};

/** Reports whether a template itself selects nodes by a label that names accelerators. */
export function selectsAccelerator(pod: PodSpec): boolean {
  const terms = requiredTerms(pod) ?? [];
  const keys = [
    ...Object.keys(selectorOf(pod)),
    ...terms.flatMap(({ matchExpressions = [] }) => matchExpressions.map(({ key }) => key)),
  ];
  return keys.some((key) => nodeLabelKeys.includes(key));
}

/** Adds tolerations for taints that the pod does not tolerate. A list that is not known yet is kept. */
function withTolerations(pod: PodSpec, wanted: readonly Toleration[]): PodSpec {
  const own = (pod.tolerations ?? []) as Toleration[];
  if (!Array.isArray(own)) return pod;
  const added = wanted.filter(({ key }) => !own.some((each) => each.key === key));
  return added.length === 0 ? pod : { ...pod, tolerations: [...own, ...added] };
}

/** Adds a required node affinity. Each term of the pod is combined with each alternative. */
function withAffinity(
  pod: PodSpec,
  alternatives: ReadonlyArray<readonly RequiredLabel[]>,
): PodSpec {
  const own = requiredTerms(pod);
  if (alternatives.length === 0 || own === undefined) return pod;
  const { affinity = {} } = pod as { affinity?: Record<string, unknown> };
  const ours = alternatives.map((labels) =>
    labels.map(({ key, values }) => ({ key, operator: "In", values: [...values] })),
  );
  const nodeSelectorTerms: NodeSelectorTerm[] = (own.length === 0 ? [{}] : own).flatMap((term) =>
    ours.map((expressions) => ({
      ...term,
      matchExpressions: [...(term.matchExpressions ?? []), ...expressions],
    })),
  );
  const nodeAffinity = {
    ...(affinity.nodeAffinity as object | undefined),
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms },
  };
  return { ...pod, affinity: { ...affinity, nodeAffinity } };
}
