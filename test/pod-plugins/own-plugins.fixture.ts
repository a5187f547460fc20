import { z } from "zod";
import { definePodPlugin, PluginRefusal } from "../../sdk/index.ts";

/** Plugins as a platform would put them into an image: one that needs to know which pod it is, one that refuses. */
export default [
  definePodPlugin({
    name: "rank",
    per: "pod",
    config: z.strictObject({ prefix: z.string() }),
    onPodCreate({ pod, servingGroup, roleID, isEntry }, { prefix }) {
      pod.metadata.labels.rank = `${prefix}.${servingGroup}.${roleID}.${isEntry ? "entry" : "worker"}`;
    },
  }),
  definePodPlugin({
    name: "refuser",
    per: "pod",
    config: z.strictObject({}),
    onPodCreate() {
      const path = ["spec", "containers"];
      throw new PluginRefusal({ path, given: "has no sidecar", allowed: "one", fix: "Add it." });
    },
  }),
];
