import { appendFileSync, existsSync } from "node:fs";
import { z } from "zod";
import { definePodPlugin, PluginRefusal } from "../../sdk/index.ts";

/**
 * Plugins as a platform would put them into an image: one that needs to know which pod it is, one that refuses, one that
 * writes down which pods are ready, and what it could change of them.
 */
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
    name: "register",
    config: z.strictObject({ file: z.string(), broken: z.string() }),
    onPodReady({ pod, modelServing, roleID }, { file, broken }) {
      if (existsSync(broken)) throw new Error("the register is closed");
      const changes = [
        () => Object.assign(pod.metadata.labels, { changed: "yes" }),
        () => Object.assign(modelServing.metadata, { name: "another" }),
        () => Object.assign(modelServing.spec ?? {}, { roles: [] }),
      ].filter(succeeds);
      const { name } = pod.metadata;
      const { spec } = modelServing;
      appendFileSync(file, `${JSON.stringify({ name, roleID, spec, changes: changes.length })}\n`);
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

function succeeds(change: () => void): boolean {
  try {
    change();
    return true;
  } catch {
    return false;
  }
}
