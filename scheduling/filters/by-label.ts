import * as filters from "../config/plugins/filters.ts";
import { type Filter, pluginType } from "../plugin.ts";

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
  ...filters.byLabelFilter,
  create: ({ label, validValues, allowsNoLabel }) => ({
    filter: byLabel(label, validValues, allowsNoLabel),
  }),
});

type RoleFilter = typeof filters.decodeFilter;

const role = (description: RoleFilter, values: readonly string[], allowsNoLabel: boolean) =>
  pluginType({
    ...description,
    create: () => ({ filter: byLabel(filters.roleLabel, values, allowsNoLabel) }),
  });

export const decodeFilter = role(
  filters.decodeFilter,
  ["decode", "prefill-decode", "both", "encode-prefill-decode"],
  true,
);
export const prefillFilter = role(
  filters.prefillFilter,
  ["prefill", "encode-prefill", "prefill-decode", "both", "encode-prefill-decode"],
  false,
);
export const encodeFilter = role(
  filters.encodeFilter,
  ["encode", "encode-prefill", "encode-prefill-decode"],
  false,
);
