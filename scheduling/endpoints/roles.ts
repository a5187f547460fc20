import { componentTypeLabel, roleLabel } from "../label-keys.ts";

/** Labels of the model servers for one stage of a request. */
interface StageRoles {
  /** Accepted values of the role label. */
  readonly values: readonly string[];
  /** Whether pods without the label also serve the stage. */
  readonly allowsNoLabel: boolean;
}

/** Labels of each stage's model servers. A server that only encodes is in neither stage. */
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

/** The roles of an InferenceService that serve one stage. */
const stageOfComponent: Readonly<Record<string, Stage>> = {
  prefiller: "prefill",
  decoder: "decode",
};

/** Returns the role in a model server's labels, or an empty string if they have none. */
export const roleOf = (labels: Readonly<Record<string, string>>): string =>
  labels[roleLabel] ?? stageOfComponent[labels[componentTypeLabel] ?? ""] ?? "";

/** Whether one of the endpoints decodes, and can therefore respond to requests that are served in stages. */
export const hasDecoder = (
  endpoints: readonly { readonly labels: Readonly<Record<string, string>> }[],
): boolean => endpoints.some(({ labels }) => isForStage(labels, "decode"));

/** Whether a model server with these labels serves a stage. */
export function isForStage(labels: Readonly<Record<string, string>>, stage: Stage): boolean {
  const { values, allowsNoLabel }: StageRoles = stageRoles[stage];
  const role = labels[roleLabel];
  if (role !== undefined) return values.includes(role);
  const component = stageOfComponent[labels[componentTypeLabel] ?? ""];
  return component === undefined ? allowsNoLabel : component === stage;
}
