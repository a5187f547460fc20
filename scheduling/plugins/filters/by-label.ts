import { z } from "zod";
import { type Filter, pluginType } from "../../profiles/plugin.ts";

/** Keeps the pods whose label has one of the values. */
export function byLabel(label: string, values: readonly string[], allowsNoLabel: boolean): Filter {
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
  kinds: ["filter"],
  summary: "Keeps pods whose label has one of the given values.",
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
