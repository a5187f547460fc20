import { z } from "zod";
import { nonEmptyText, positiveInteger } from "../../../kubernetes/kinds/field-types.ts";
import { isMap } from "../../../kubernetes/values/records.ts";
import { kthenaLabel, label, lwsLabel } from "../../names.ts";
import { definePodPlugin } from "../pod-plugin.ts";

/**
 * Spreads the replicas of a role over zones, or over the values of another node label. It spreads only entry pods: the
 * workers of a replica should be close to their leader.
 */
export const topologySpread = definePodPlugin({
  name: "topology-spread",
  config: z.strictObject({
    topologyKey: nonEmptyText
      .default("topology.kubernetes.io/zone")
      .describe("Node label whose values define the domains."),
    maxSkew: positiveInteger
      .default(1)
      .describe("Maximum difference between two domains, in replicas."),
    whenUnsatisfiable: z
      .enum(["ScheduleAnyway", "DoNotSchedule"])
      .default("ScheduleAnyway")
      .describe(
        "DoNotSchedule leaves a pod pending; in a gang, the whole gang is pending with it.",
      ),
  }),
  onPodCreate({ pod, isEntry }, { topologyKey, maxSkew, whenUnsatisfiable }) {
    if (!isEntry) return;
    const { spec, metadata } = pod;
    const present: unknown[] = Array.isArray(spec.topologySpreadConstraints)
      ? spec.topologySpreadConstraints
      : [];
    if (present.some((other) => isMap(other) && other.topologyKey === topologyKey)) return;
    spec.topologySpreadConstraints = [
      ...present,
      {
        maxSkew,
        topologyKey,
        whenUnsatisfiable,
        labelSelector: {
          matchLabels: {
            ...roleLabelsOf(metadata.labels),
            // LeaderWorkerSet labels every pod with its index; the entry pod has 0.
            [lwsLabel.workerIndex]: "0",
          },
        },
      },
    ];
  },
});

/** Returns the labels that all pods of a role have, for an InferenceService or a ModelServing. */
function roleLabelsOf(labels: Readonly<Record<string, unknown>>) {
  const keys =
    labels[label.service] === undefined
      ? [kthenaLabel.name, kthenaLabel.role]
      : [label.service, label.roleName];
  return Object.fromEntries(keys.map((key) => [key, labels[key]]));
}
