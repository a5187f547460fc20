import { z } from "zod";
import { kthenaLabel, standardLabel } from "../../names.ts";
import { onByDefault } from "../../schemas/argument.ts";
import type { HookRequest } from "../hook-request.ts";
import { definePodPlugin } from "../pod-plugin.ts";

/**
 * Sets labels with which tools find the pods of LeaderWorkerSets: Kubernetes' recommended labels, and the labels of a
 * ModelServing, which Kthena's router selects. LeaderWorkerSet sets further labels, which no plugin may change.
 */
export const lwsStandardLabels = definePodPlugin({
  name: "lws-standard-labels",
  config: z.strictObject({
    partOf: z.string().min(1).max(63).optional().describe("app.kubernetes.io/part-of."),
    modelServing: onByDefault("Whether to set the labels of a ModelServing."),
  }),
  onPodCreate(request, { partOf, modelServing }) {
    const { labels } = request.pod.metadata;
    const wanted = {
      [standardLabel.name]: request.modelServing.metadata.name,
      [standardLabel.component]: request.roleName,
      [standardLabel.partOf]: partOf,
      ...(modelServing ? labelsOfModelServing(request) : {}),
    };
    for (const [key, value] of Object.entries(wanted)) {
      if (value !== undefined) labels[key] ??= value;
    }
  },
});

const labelsOfModelServing = (request: HookRequest) => ({
  [kthenaLabel.name]: request.modelServing.metadata.name,
  [kthenaLabel.groupName]: request.servingGroup,
  [kthenaLabel.role]: request.roleName,
  [kthenaLabel.roleID]: request.roleID,
  [kthenaLabel.entry]: String(request.isEntry),
});
