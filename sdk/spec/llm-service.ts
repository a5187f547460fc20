import { z } from "zod";
import { namespaceName, objectName } from "../../kubernetes/kinds/field-types.ts";
import {
  uniqueBy,
  validations,
  weightsOfAllOrNone,
} from "../../kubernetes/kinds/validation-rules.ts";
import { duration, modelName, weight } from "./model-target.ts";

/**
 * LLMService, `inference.x-k8s.io/v1alpha1`: model names that a team serves on one or several pools.
 * Fields and meanings are those of the LLM Instance Gateway proposal (`LLMServiceSpec`); bounds are ours.
 */
export const llmServiceKind = {
  apiVersion: "inference.x-k8s.io/v1alpha1",
  kind: "LLMService",
} as const;

/** Kinds that a pool reference may name. Both stand for the InferencePool of that name. */
export const poolKinds = ["LLMServerPool", "InferencePool"] as const;

export const TargetModel = z.strictObject({
  name: modelName.describe("Model or LoRA adapter, as the model servers know it."),
  weight: weight
    .optional()
    .describe("Share of the requests. 0 sends none. Without any weight all targets are alike."),
});

const Objective = z.strictObject({
  desiredAveragePerOutputTokenLatencyAtP95OverMultipleRequests: duration
    .optional()
    .describe("P95 of request latency divided by output tokens, such as 50ms."),
});

export const Model = z.strictObject({
  name: modelName.describe("What clients send as `model`. Unique among the services of a pool."),
  objective: Objective.optional().describe(
    "Latency objective. Setting it makes the model Critical; without it, its requests are shed first.",
  ),
  targetModels: z
    .array(TargetModel)
    .max(64)
    .meta(validations(weightsOfAllOrNone))
    .optional()
    .describe("What model servers are asked for, by weight. Default: the model's own name."),
});

export const PoolRef = z.strictObject({
  apiVersion: z.string().optional(),
  kind: z.enum(poolKinds).default("LLMServerPool"),
  namespace: namespaceName.optional().describe("Default: the service's own."),
  name: objectName,
});

/** As many as the API server's budget for one rule lets it compare with each other, whatever their length. */
export const maxModels = 128;

export const LLMServiceSpec = z.strictObject({
  models: z
    .array(Model)
    .min(1)
    .max(maxModels)
    .meta(validations(uniqueBy("name", "a model name stands once in a service"))),
  poolRef: z
    .array(PoolRef)
    .min(1)
    .max(32)
    .meta(
      // The word namespace is reserved in CEL; fields of that name are escaped so.
      validations({
        rule: "self.all(a, self.exists_one(b, b.name == a.name && (has(b.__namespace__) ? b.__namespace__ : '') == (has(a.__namespace__) ? a.__namespace__ : '')))",
        message: "a service names a pool once, whatever its kind",
      }),
    )
    .describe("Pools that the models are served on."),
});

export type LLMServiceSpec = z.infer<typeof LLMServiceSpec>;
export type LLMServiceSpecInput = z.input<typeof LLMServiceSpec>;
export type Model = z.infer<typeof Model>;
export type PoolRef = z.infer<typeof PoolRef>;
