import { z } from "zod";
import { type Filter, pluginType } from "../plugin.ts";

/** Label of a server's stage (llm-d-router, bylabel/roles.go). */
const roleLabel = "llm-d.ai/role";

function byLabel(label: string, values: readonly string[], allowsNoLabel: boolean): Filter {
  const valid = new Set(values);
  return {
    filter: (_, endpoints) =>
      endpoints.filter(({ labels }) => {
        const value = labels[label];
        return value === undefined ? allowsNoLabel : valid.has(value);
      }),
  };
}

export const byLabelFilter = pluginType({
  type: "by-label",
  summary: "Pods whose label has one of some values.",
  parameters: z
    .strictObject({
      label: z.string().min(1),
      validValues: z.array(z.string()).default([]),
      allowsNoLabel: z.boolean().default(false),
    })
    .refine(({ validValues, allowsNoLabel }) => validValues.length > 0 || allowsNoLabel, {
      message: "no pod would pass: give validValues, or allowsNoLabel: true",
      path: ["validValues"],
    }),
  create: ({ label, validValues, allowsNoLabel }) => ({
    filter: byLabel(label, validValues, allowsNoLabel),
  }),
});

const role = (type: string, stage: string, values: readonly string[], allowsNoLabel: boolean) =>
  pluginType({
    type,
    summary: `Pods that ${stage}, by label ${roleLabel}${allowsNoLabel ? "; those without the label too" : ""}.`,
    parameters: z.looseObject({}),
    create: () => ({ filter: byLabel(roleLabel, values, allowsNoLabel) }),
  });

export const decodeFilter = role(
  "decode-filter",
  "decode",
  ["decode", "prefill-decode", "both", "encode-prefill-decode"],
  true,
);
export const prefillFilter = role(
  "prefill-filter",
  "prefill",
  ["prefill", "encode-prefill", "prefill-decode", "both", "encode-prefill-decode"],
  false,
);
export const encodeFilter = role(
  "encode-filter",
  "encode",
  ["encode", "encode-prefill", "encode-prefill-decode"],
  false,
);
