import type { Invariant } from "../../invariant.ts";
import { RewriteRule } from "../../spec/model-rewrite.ts";
import { type RawSpec, wellFormed } from "../helpers/raw-spec.ts";
import { partlyWeighted } from "../helpers/weights.ts";

const proposal = "InferenceModelRewrite proposal";

/** The rules of an InferenceModelRewrite (`rules`), or of an InferenceService (`rewrites`). */
const rulesOf = (field: string, { spec }: RawSpec) => wellFormed(RewriteRule, spec[field]);

function targetsAreWeightedAlike(field: string): Invariant<RawSpec> {
  return {
    id: "rewrite-target-weights-are-complete",
    title: "Either all targets of a rule have a weight, or none",
    why: "If only some targets have a weight, the others would get no requests.",
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
    why: "A target with weight 0 gets no requests. To reserve a name, use an LLMService.",
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

/** A warning: a chain of rewrites is allowed but probably a mistake. */
export const rewritesAreNotChained: Invariant<RawSpec> = {
  id: "rewrites-are-not-chained",
  title: "A target is not a model name that another rule rewrites",
  why: "Rules are applied once: the model servers receive the target's name unchanged.",
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
          allowed: "a model name that the servers serve, because rules are not chained",
          fix: `Use the target of rules[${other}], or a model that the servers serve.`,
        };
      }
    }
  },
};
