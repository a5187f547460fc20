import { rulesOfPack, type StackRule, wholeStack } from "./stack-rule.ts";

const { objectRule } = rulesOfPack("inference-gpu");

/** Reports objects whose shape rules cannot read. */
export const shapeRule: StackRule = objectRule(
  { id: "objects-have-their-shape", guidelines: [], code: "shape" },
  {
    title: "Objects match the schema of their kind",
    why: "The API server rejects other objects, and no other rule checks them.",
    source: "Kubernetes API; CRDs of LeaderWorkerSet and Volcano",
    fix: "Set the field to a value of the type that its kind requires. Numbers and strings are different types.",
  },
  wholeStack,
  ({ malformed }) => malformed,
);
