import * as filters from "../config/plugins/filters.ts";
import { pluginType } from "../plugin.ts";

function matches(
  { key, operator, values = [] }: filters.SelectorExpression,
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

const selector = (description: typeof filters.labelSelectorFilter) =>
  pluginType({
    ...description,
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

export const labelSelectorFilter = selector(filters.labelSelectorFilter);
/** The older name. */
export const byLabelSelectorFilter = selector(filters.byLabelSelectorFilter);
