/** Keys of labels and annotations of pods that the picker reads. Plans write some of them; see sdk/names.ts. */

/** Label with the stage of a model server (llm-d-router, bylabel/roles.go). */
export const roleLabel = "llm-d.ai/role";

/** Label with the componentType of an InferenceService's role (FusionInfer). */
export const componentTypeLabel = "fusioninfer.io/component-type";

/** Labels with the engine name. The first, newer one wins. Pods without them count as vLLM. */
export const engineTypeLabels = [
  "llm-d.ai/engine-type",
  "inference.networking.k8s.io/engine-type",
] as const;

/** Annotations with the target ports of a pod that serve. The second, older key is read if the first is absent. */
export const activePortsAnnotations: readonly string[] = [
  "llm-d.ai/active-ports",
  "inference.networking.k8s.io/active-ports",
];

/** Label with the range of prompt tokens of a pod, `min-max` (llm-d-router, contextlengthaware). */
export const contextLengthLabel = "llm-d.ai/context-length-range";
