import { rulesOfPack, type StackRule, wholeStack } from "./stack-rule.ts";

const { objectRule } = rulesOfPack("inference-gpu");

/** Objects that no rule can read. */
export const shapeRule: StackRule = objectRule(
  { id: "objects-have-their-shape", guidelines: [], code: "shape" },
  {
    title: "Objects have the shape of their kind",
    why: "The API server refuses others, and no other rule looks at them.",
    source: "Kubernetes API; CRDs of LeaderWorkerSet and Volcano",
    fix: "Write the field as its kind has it; numbers and texts are not the same.",
  },
  wholeStack,
  ({ malformed }) => malformed,
);
