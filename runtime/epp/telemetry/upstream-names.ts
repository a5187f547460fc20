import { alias } from "../../manager/metrics/alias.ts";
import type { Family } from "../../manager/metrics/family.ts";
import { upstreamMetrics } from "./upstream-metrics.ts";

const prefix = "llm_d_epp_";

/** A metric of upstream, by its name without the prefix; without labels where none are given. */
export const described = (name: string, help: string, labels: readonly string[] = []) => ({
  name: `${prefix}${name}`,
  help,
  labels,
});

/** Labels that have another name in an older metric. */
const labelsNow: Readonly<Record<string, string>> = {
  pod_name: "endpoint_name",
  model_server_pod: "model_server_endpoint",
};

/** The metrics, and those of them again that upstream named otherwise before, by the labels that they had. */
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
