import { z } from "zod";
import { namespaceName, objectName } from "../../kubernetes/kinds/field-types.ts";
import { kinds } from "../../kubernetes/kinds/index.ts";
import {
  uniqueBy,
  validations,
  weightsOfAllOrNone,
} from "../../kubernetes/kinds/validation-rules.ts";
import { named, output, words } from "./argument.ts";
import { share } from "./flow-control.ts";
import { duration, modelName, weight } from "./model-target.ts";

/**
 * LLMService, `inference.x-k8s.io/v1alpha1`: model names that a team serves on one or several pools.
 * Fields and meanings are those of the LLM Instance Gateway proposal (`LLMServiceSpec`); bounds are ours.
 */
export const llmServiceKind = {
  apiVersion: kinds.LLMService.apiVersion,
  kind: "LLMService",
} as const;

const PoolKind = words(
  "PoolKind",
  "Kind of a pool reference. Both kinds refer to the InferencePool of that name.",
  {
    LLMServerPool: ["LLMServerPool", "A pool that LLMServices register on."],
    InferencePool: [
      "InferencePool",
      "A pool that takes any model, where registered names have targets and objectives.",
    ],
  },
);
export const poolKinds = PoolKind.options;

/** The name of a pool, which a component may output: `service.poolName`. */
export const poolName = output(objectName, "string | undefined");

export const TargetModel = named(
  "TargetModel",
  z.strictObject({
    name: modelName.describe("Model or LoRA adapter, as the model servers know it."),
    weight: weight
      .optional()
      .describe(
        "Weight of the target, 0 to 1,000,000: its share is the weight divided by the sum of weights. All targets have one or none has; without any all are alike. A model whose targets all have 0 is reserved: its requests are answered with an error.",
      ),
  }),
).describe("A share of a model's requests.");

const Objective = named(
  "Objective",
  z.strictObject({
    desiredAveragePerOutputTokenLatencyAtP95OverMultipleRequests: duration
      .optional()
      .describe(
        "P95 over many requests of request latency divided by output tokens, such as 50ms. Default: none.",
      ),
    desiredTimeToFirstTokenAtP95OverMultipleRequests: duration
      .optional()
      .describe(
        "P95 over many streamed requests of the time until the first token, such as 500ms. Of requests that wait, those whose time ends first go first. Default: none, and then the time of 100 output tokens orders them.",
      ),
  }),
).describe(
  "The latency that a model should have. It is reported, and orders requests that wait; it is not enforced.",
);

export const Model = named(
  "Model",
  z.strictObject({
    name: modelName.describe(
      "What clients send as `model`. It is unique on a pool: the oldest LLMService has a name.",
    ),
    objective: Objective.optional().describe(
      "The model's latency objective. Setting it makes the model Critical; requests for models without one are refused first while the pool is full.",
    ),
    targetModels: z
      .array(TargetModel)
      .max(64)
      .meta(validations(weightsOfAllOrNone))
      .optional()
      .describe(
        "What model servers are asked for: models or LoRA adapters by weight. Default: one, the model's own name.",
      ),
  }),
).describe("A model as clients name it, and what the model servers are asked for.");

export const PoolRef = named(
  "PoolReference",
  z.strictObject({
    apiVersion: z
      .string()
      .optional()
      .describe("The API version of the pool; it is not read. Default: none."),
    kind: PoolKind.default("LLMServerPool").describe("The kind of the pool."),
    namespace: output(namespaceName)
      .optional()
      .describe(
        "The pool's namespace. A pool admits other namespaces by allowedNamespaces. Default: that of the LLMService.",
      ),
    name: poolName.describe("The pool's name."),
  }),
).describe("A pool that an LLMService uses.");

/** As many as the API server's budget for one rule lets it compare with each other, whatever their length. */
export const maxModels = 128;

export const LLMServiceSpec = z.strictObject({
  share: share
    .optional()
    .describe(
      "Weight of the service's requests beside those of others while a pool cannot serve all at once, 1 to 1,000; weights of the pool count in its place. Default 1.",
    ),
  models: z
    .array(Model)
    .min(1)
    .max(maxModels)
    .meta(validations(uniqueBy("name", "a model name stands once in a service")))
    .describe("The models: at least one, each name once."),
  poolRef: z
    .array(PoolRef)
    .min(1)
    .max(32)
    .meta(
      // The word namespace is reserved in CEL; fields of that name are escaped so.
      validations({
        rule: "self.all(a, self.exists_one(b, b.name == a.name && (has(b.__namespace__) ? b.__namespace__ : '') == (has(a.__namespace__) ? a.__namespace__ : '')))",
        message: "a service refers to each pool once, under either kind",
      }),
    )
    .describe("Pools that serve the models, also of other stacks."),
});

export type LLMServiceSpec = z.infer<typeof LLMServiceSpec>;
export type LLMServiceSpecInput = z.input<typeof LLMServiceSpec>;
export type Model = z.infer<typeof Model>;
export type PoolRef = z.infer<typeof PoolRef>;
