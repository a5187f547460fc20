import { z } from "zod";
import { pluginType } from "../../profiles/plugin.ts";

const expression = z
  .strictObject({
    key: z.string().min(1),
    operator: z.enum(["In", "NotIn", "Exists", "DoesNotExist"]),
    values: z.array(z.string()).optional(),
  })
  .refine(({ operator, values = [] }) => /In$/.test(operator) === values.length > 0, {
    message: "In and NotIn need values, Exists and DoesNotExist have none",
    path: ["values"],
  });
const selectorParameters = z.strictObject({
  matchLabels: z.record(z.string(), z.string()).optional(),
  matchExpressions: z.array(expression).optional(),
});

function matches(
  { key, operator, values = [] }: z.infer<typeof expression>,
  labels: Readonly<Record<string, string>>,
) {
  const value = labels[key];
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
  }
}

const selector = (type: string) =>
  pluginType({
    type,
    kinds: ["filter"],
    summary: "Keeps pods that match a label selector.",
    parameters: selectorParameters,
    create: ({ matchLabels = {}, matchExpressions = [] }) => {
      const wanted = Object.entries(matchLabels);
      return {
        filter: {
          filter: (_, endpoints) =>
            endpoints.filter(
              ({ labels }) =>
                wanted.every(([key, value]) => labels[key] === value) &&
                matchExpressions.every((each) => matches(each, labels)),
            ),
        },
      };
    },
  });

export const labelSelectorFilter = selector("label-selector-filter");
/** Older name of label-selector-filter. */
export const byLabelSelectorFilter = selector("by-label-selector");
