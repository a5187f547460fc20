import { type StackRule, stackRule, wholeStack } from "./stack-rule.ts";

/** Objects that no rule can read. */
export const shapeRule: StackRule = stackRule(
  {
    ...{ id: "objects-have-their-shape", guidelines: [] },
    ...{ pack: "inference-gpu", scope: "object", code: "shape" },
    title: "Objects have the shape of their kind",
    why: "The API server refuses others, and no other rule looks at them.",
    source: "Kubernetes API; CRDs of LeaderWorkerSet and Volcano",
    mend: "Write the field as its kind has it; numbers and texts are not the same.",
  },
  wholeStack,
  ({ malformed }) => malformed,
);
