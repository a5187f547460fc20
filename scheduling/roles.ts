/** Label of a model server's stage (llm-d-router, bylabel/roles.go). */
export const roleLabel = "llm-d.ai/role";

/** Label of a role of an InferenceService, by its componentType (FusionInfer). */
export const componentTypeLabel = "fusioninfer.io/component-type";

/** A stage of a request, and which model servers are for it. */
interface StageRoles {
  /** Values of the label. */
  readonly values: readonly string[];
  /** Pods without the label are for it too. */
  readonly allowsNoLabel: boolean;
}

/** What each stage's model servers are labelled with; one that encodes alone is in neither. */
export const stageRoles = {
  prefill: {
    values: ["prefill", "encode-prefill", "prefill-decode", "both", "encode-prefill-decode"],
    allowsNoLabel: false,
  },
  decode: {
    values: ["decode", "prefill-decode", "both", "encode-prefill-decode"],
    allowsNoLabel: true,
  },
} as const satisfies Record<string, StageRoles>;

type Stage = keyof typeof stageRoles;

/** The roles of an InferenceService that have one stage each. */
const stageOfComponent: Readonly<Record<string, Stage>> = {
  prefiller: "prefill",
  decoder: "decode",
};

/** The role that a model server is labelled with; empty without one. */
export const roleOf = (labels: Readonly<Record<string, string>>): string =>
  labels[roleLabel] ?? stageOfComponent[labels[componentTypeLabel] ?? ""] ?? "";

/** Whether one of some endpoints decodes, and so answers where requests are served in stages. */
export const hasDecoder = (
  endpoints: readonly { readonly labels: Readonly<Record<string, string>> }[],
): boolean => endpoints.some(({ labels }) => isForStage(labels, "decode"));

/** Whether a model server with these labels is for a stage. */
export function isForStage(labels: Readonly<Record<string, string>>, stage: Stage): boolean {
  const { values, allowsNoLabel }: StageRoles = stageRoles[stage];
  const role = labels[roleLabel];
  if (role !== undefined) return values.includes(role);
  const component = stageOfComponent[labels[componentTypeLabel] ?? ""];
  return component === undefined ? allowsNoLabel : component === stage;
}
