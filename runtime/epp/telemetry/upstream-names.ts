import { alias } from "../../manager/metrics/alias.ts";
import type { Family } from "../../manager/metrics/family.ts";
import { upstreamMetrics } from "./upstream-metrics.ts";

const prefix = "llm_d_epp_";

/** Returns the full name, help and labels of an upstream metric, given its name without the prefix. */
export const described = (name: string, help: string, labels: readonly string[] = []) => ({
  name: `${prefix}${name}`,
  help,
  labels,
});

/** Current names of labels, by the names in older metrics. */
const labelsNow: Readonly<Record<string, string>> = {
  pod_name: "endpoint_name",
  model_server_pod: "model_server_endpoint",
};

/** Adds an alias for each older upstream name, with the labels of that name. */
export const withOlderNames = (families: readonly Family[]): Family[] => [
  ...families,
  ...families.flatMap((family) => {
    const { older = {} } = upstreamMetrics[family.name.replace(prefix, "")] ?? {};
    return Object.entries(older).map(([name, labels]) =>
      alias(family, {
        name,
        help: `Older name of ${family.name}.`,
        labels: Object.fromEntries(labels.map((label) => [label, labelsNow[label] ?? label])),
      }),
    );
  }),
];
