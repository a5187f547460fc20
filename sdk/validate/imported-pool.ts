import { importedPoolRules } from "../invariants/imported-pools.ts";
import { ImportedPoolSpec } from "../spec/imported-pool.ts";
import { laterInProgramPods } from "./program-pods.ts";
import type { SpecKind } from "./spec-kind.ts";

export const importedPoolSpecKind: SpecKind<ImportedPoolSpec> = {
  kind: "ImportedInferencePool",
  schema: ImportedPoolSpec,
  rules: importedPoolRules,
  deferrable: [
    /^parentRefs\[\d+\]\../,
    /^hostnames\[\d+\]$/,
    /^(matches|filters)\[\d+\]/,
    /^parents\[\d+\]\.host$/,
    ...laterInProgramPods("(picker|globalPicker)\\."),
  ],
};
