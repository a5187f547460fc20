import { annotation } from "../topology/names.ts";
import type { Invariant } from "./invariant.ts";
import type { Written } from "./written.ts";

/** Rules on how a pool is exported, of whatever makes the pool. */
export const exportRules: ReadonlyArray<Invariant<Written>> = [
  {
    id: "export-is-by-argument",
    title: "A pool is exported by its `export`, not by annotations of its own",
    why: "An export mode without an export is ignored, and the annotations of a component go to all of its objects.",
    source:
      "Multi-Cluster Inference proposal: 'The export-mode annotation requires the export annotation to be set'",
    code: "conflict",
    *check({ metadata: { annotations } }) {
      if (annotations === null || typeof annotations !== "object") return;
      for (const key of [annotation.export, annotation.exportMode]) {
        if (!Object.hasOwn(annotations, key)) continue;
        yield {
          path: ["metadata", "annotations", key],
          given: "is set by hand",
          allowed: "`export` with a mode, which sets both annotations on the pool",
          fix: "Remove it, and give the pool an `export`.",
        };
      }
    },
  },
];
