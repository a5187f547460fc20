import { importedPoolRules } from "../rules/spec/multi-cluster/imported-pools.ts";
import { ImportedPoolSpec } from "../spec/imported-pool.ts";
import type { SpecKind } from "./spec-kind.ts";

export const importedPoolSpecKind: SpecKind<ImportedPoolSpec> = {
  kind: "ImportedInferencePool",
  schema: ImportedPoolSpec,
  rules: importedPoolRules,
};
