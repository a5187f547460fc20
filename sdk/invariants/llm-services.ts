import type { Invariant } from "../invariant.ts";
import { Model, PoolRef } from "../spec/llm-service.ts";
import { secondsOf } from "../spec/model-target.ts";
import { knownLater, type RawSpec, wellFormed } from "./raw-spec.ts";
import { partlyWeighted } from "./weights.ts";

const proposal = "LLM Instance Gateway proposal, LLMService";

/** Models with their path from the spec: LLMServices and InferenceServices hold the same list. */
const models = ({ spec }: RawSpec) => wellFormed(Model, spec.models);

const modelNamesAreUnique: Invariant<RawSpec> = {
  id: "model-names-are-unique",
  title: "A model name stands once in a service",
  why: "Only one of two entries could answer a request; which one, nobody could see.",
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
        given: `is ${JSON.stringify(value.name)}, the name of models[${taken}]`,
        allowed: "a name that no other model of the service has",
        fix: "Merge the two: one model can have several targetModels.",
      };
    }
  },
};

const targetsAreWeightedAlike: Invariant<RawSpec> = {
  id: "model-target-weights-are-complete",
  title: "All targets of a model have a weight, or none has",
  why: "A target without a weight beside others that have one would get no request.",
  source: "InferenceModelRewrite proposal, TargetModel: 'it must be set for all targetModels'",
  code: "conflict",
  *check(written) {
    for (const { index, value } of models(written))
      yield* partlyWeighted(value.targetModels ?? [], ["models", index, "targetModels"]);
  },
};

const objectiveIsPositive: Invariant<RawSpec> = {
  id: "model-objective-is-positive",
  title: "A latency objective is longer than nothing",
  why: "No server can meet it, so it would report a miss for ever.",
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
        fix: "Give the latency that an output token may take, or an empty objective for a Critical model without one.",
      };
    }
  },
};

const poolsAreNamedOnce: Invariant<RawSpec> = {
  id: "pool-references-are-unique",
  title: "A service names a pool once",
  why: "LLMServerPool and InferencePool of one name are one pool; the service would compete with itself.",
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
        given: `is pool ${pool}, as poolRef[${taken}] is`,
        allowed: "each pool once",
        fix: "Remove one of them.",
      };
    }
  },
};

/** Rules on a list of models, wherever it stands. */
export const modelRules: ReadonlyArray<Invariant<RawSpec>> = [
  modelNamesAreUnique,
  targetsAreWeightedAlike,
  objectiveIsPositive,
];

export const llmServiceRules: ReadonlyArray<Invariant<RawSpec>> = [
  ...modelRules,
  poolsAreNamedOnce,
];
