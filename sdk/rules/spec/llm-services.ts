import type { Invariant } from "../../invariant.ts";
import { knownLater } from "../../schemas/known-later.ts";
import { Model, PoolRef } from "../../spec/llm-service.ts";
import { secondsOf } from "../../spec/model-target.ts";
import { type RawSpec, wellFormed } from "../helpers/raw-spec.ts";
import { partlyWeighted } from "../helpers/weights.ts";

const proposal = "LLM Instance Gateway proposal, LLMService";

/** The well-formed models with their index. LLMServices and InferenceServices have the same list. */
const models = ({ spec }: RawSpec) => wellFormed(Model, spec.models);

const modelNamesAreUnique: Invariant<RawSpec> = {
  id: "model-names-are-unique",
  title: "Model names are unique within a service",
  why: "Only one of two entries with the same name would apply, and it would not be visible which.",
  source: `${proposal}: 'The name should be unique among the services that reference the same backend pool'`,
  code: "conflict",
  *check(written) {
    const first = new Map<string, number>();
    for (const { index, value } of models(written)) {
      const taken = first.get(value.name);
      if (taken === undefined) {
        first.set(value.name, index);
        continue;
      }
      yield {
        path: ["models", index, "name"],
        given: `is ${JSON.stringify(value.name)}, which is also the name of models[${taken}]`,
        allowed: "a unique model name",
        fix: "Merge the two entries: one model can have several targetModels.",
      };
    }
  },
};

const targetsAreWeightedAlike: Invariant<RawSpec> = {
  id: "model-target-weights-are-complete",
  title: "Either all targets of a model have a weight, or none",
  why: "If only some targets have a weight, the others would get no requests.",
  source: "InferenceModelRewrite proposal, TargetModel: 'it must be set for all targetModels'",
  code: "conflict",
  *check(written) {
    for (const { index, value } of models(written))
      yield* partlyWeighted(value.targetModels ?? [], ["models", index, "targetModels"]);
  },
};

const objectiveIsPositive: Invariant<RawSpec> = {
  id: "model-objective-is-positive",
  title: "A latency objective is greater than 0",
  why: "No server can meet an objective of 0, so it would always be reported as missed.",
  source: `${proposal}, Objective`,
  code: "count",
  *check(written) {
    for (const { index, value } of models(written)) {
      const field = "desiredAveragePerOutputTokenLatencyAtP95OverMultipleRequests";
      const text = value.objective?.[field];
      if (text === undefined || secondsOf(text) !== 0) continue;
      yield {
        path: ["models", index, "objective", field],
        given: `is ${JSON.stringify(text)}`,
        allowed: "more than 0, such as 50ms",
        fix: "Set the longest allowed time per output token, or an empty objective for a Critical model without a latency objective.",
      };
    }
  },
};

const poolsAreNamedOnce: Invariant<RawSpec> = {
  id: "pool-references-are-unique",
  title: "A service refers to each pool once",
  why: "An LLMServerPool and an InferencePool with the same name are one pool, and the service would compete with itself.",
  source: `${proposal}: 'PoolRef []corev1.ObjectReference'`,
  code: "conflict",
  *check({ metadata, spec }) {
    const seen = new Map<string, number>();
    for (const { index, value } of wellFormed(PoolRef, spec.poolRef)) {
      const pool = `${value.namespace ?? metadata.namespace ?? "default"}/${value.name}`;
      const taken = seen.get(pool);
      if (taken === undefined || value.name === knownLater) {
        seen.set(pool, index);
        continue;
      }
      yield {
        path: ["poolRef", index],
        given: `is pool ${pool}, the same as poolRef[${taken}]`,
        allowed: "each pool once",
        fix: "Remove one of the two entries.",
      };
    }
  },
};

/** Rules on the list of models of an LLMService or an InferenceService. */
export const modelRules: ReadonlyArray<Invariant<RawSpec>> = [
  modelNamesAreUnique,
  targetsAreWeightedAlike,
  objectiveIsPositive,
];

export const llmServiceRules: ReadonlyArray<Invariant<RawSpec>> = [
  ...modelRules,
  poolsAreNamedOnce,
];
