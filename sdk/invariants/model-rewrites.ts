import type { Invariant } from "../invariant.ts";
import { RewriteRule } from "../spec/model-rewrite.ts";
import { type RawSpec, wellFormed } from "./raw-spec.ts";
import { partlyWeighted } from "./weights.ts";

const proposal = "InferenceModelRewrite proposal";

/** The rules of a rewrite, or of an InferenceService's `rewrites`. */
const rulesOf = (field: string, { spec }: RawSpec) => wellFormed(RewriteRule, spec[field]);

function targetsAreWeightedAlike(field: string): Invariant<RawSpec> {
  return {
    id: "rewrite-target-weights-are-complete",
    title: "All targets of a rule have a weight, or none has",
    why: "A target without a weight beside others that have one would get no request.",
    source: `${proposal}, TargetModel: 'If a weight is set for any targetModel, it must be set for all'`,
    code: "conflict",
    *check(written) {
      for (const { index, value } of rulesOf(field, written))
        yield* partlyWeighted(value.targets, [field, index, "targets"]);
    },
  };
}

function weightsArePositive(field: string): Invariant<RawSpec> {
  return {
    id: "rewrite-weights-are-positive",
    title: "A target of a rewrite has a weight of at least 1",
    why: "A name can be reserved by an LLMService; a rewrite that sends nothing anywhere has no meaning.",
    source: `${proposal}, TargetModel: 'Minimum=1'`,
    code: "count",
    *check(written) {
      for (const { index, value } of rulesOf(field, written)) {
        for (const [at, { weight }] of value.targets.entries()) {
          if (weight !== 0) continue;
          yield {
            path: [field, index, "targets", at, "weight"],
            given: "is 0",
            allowed: "1 to 1000000",
            fix: "Remove the target, or reserve the name with an LLMService.",
          };
        }
      }
    },
  };
}

export const rewriteRules = (field: string): ReadonlyArray<Invariant<RawSpec>> => [
  targetsAreWeightedAlike(field),
  weightsArePositive(field),
];

export const modelRewriteRules = rewriteRules("rules");

/** What is allowed and hardly meant. */
export const rewritesAreNotChained: Invariant<RawSpec> = {
  id: "rewrites-are-not-chained",
  title: "A target is not a name that another rule rewrites",
  why: "Rules are applied once: the target goes to the servers as it stands.",
  source: `${proposal}: 'The first rule to match a request will be used'`,
  code: "reference",
  *check(written) {
    const rules = rulesOf("rules", written);
    const matched = new Map<string, number>();
    for (const { index, value } of rules)
      for (const { model } of value.matches ?? [])
        if (!matched.has(model.value)) matched.set(model.value, index);
    for (const { index, value } of rules) {
      for (const [at, { modelRewrite }] of value.targets.entries()) {
        const other = matched.get(modelRewrite);
        if (other === undefined || other === index) continue;
        yield {
          path: ["rules", index, "targets", at, "modelRewrite"],
          given: `is ${JSON.stringify(modelRewrite)}, which rules[${other}] rewrites`,
          allowed: "the model that the servers are asked for, since rules are not chained",
          fix: `Name the target of rules[${other}] if that is meant.`,
        };
      }
    }
  },
};
