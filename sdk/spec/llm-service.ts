import { z } from "zod";
import { namespaceName, objectName } from "../../kubernetes/kinds/field-types.ts";
import { kinds } from "../../kubernetes/kinds/index.ts";
import {
  uniqueBy,
  validations,
  weightsOfAllOrNone,
} from "../../kubernetes/kinds/validation-rules.ts";
import { named, output, words } from "../schemas/argument.ts";
import { share } from "./flow-control.ts";
import { duration, modelName, weight } from "./model-target.ts";

/**
 * LLMService, `inference.x-k8s.io/v1alpha1`: model names that a team serves on one or more pools. The LLM Instance
 * Gateway proposal defines the fields (`LLMServiceSpec`); this project defines their limits.
 */
export const llmServiceKind = {
  apiVersion: kinds.LLMService.apiVersion,
  kind: "LLMService",
} as const;

const PoolKind = words(
  "PoolKind",
  "Kind of a pool reference. Both kinds refer to the InferencePool of that name.",
  {
    LLMServerPool: ["LLMServerPool", "Pool that LLMServices register on."],
    InferencePool: [
      "InferencePool",
      "Pool that accepts any model. Registered names have targets and objectives.",
    ],
  },
);
export const poolKinds = PoolKind.options;

/** Name of a pool, such as the output `service.poolName` of a component. */
export const poolName = output(objectName, "string | undefined");

export const TargetModel = named(
  "TargetModel",
  z.strictObject({
    name: modelName.describe("Name of the model or LoRA adapter at the model servers."),
    weight: weight
      .optional()
      .describe(
        "Weight of the target, 0 to 1,000,000: its share is the weight divided by the sum of all weights. Set it for all targets or for none; without weights the shares are equal. If all targets have weight 0, the name is reserved and its requests fail.",
      ),
  }),
).describe("Target that gets a share of a model's requests.");

const Objective = named(
  "Objective",
  z.strictObject({
    desiredAveragePerOutputTokenLatencyAtP95OverMultipleRequests: duration
      .optional()
      .describe(
        "Target for the request latency divided by output tokens, such as 50ms, as the 95th percentile over many requests. Default: none.",
      ),
    desiredTimeToFirstTokenAtP95OverMultipleRequests: duration
      .optional()
      .describe(
        "Target for the time to the first token, such as 500ms, as the 95th percentile over many streamed requests. Queued requests are dispatched in the order of these deadlines. Default: none; queued requests are then ordered by the time for 100 output tokens.",
      ),
  }),
).describe(
  "Target latency of a model. It is reported, and orders queued requests, but it is not enforced.",
);

export const Model = named(
  "Model",
  z.strictObject({
    name: modelName.describe(
      "Name that clients send as `model`, unique on a pool: the oldest LLMService with the name gets it.",
    ),
    objective: Objective.optional().describe(
      "Latency objective of the model. Setting it makes the model Critical; requests for models without one are rejected first while the pool is full.",
    ),
    targetModels: z
      .array(TargetModel)
      .max(64)
      .meta(validations(weightsOfAllOrNone))
      .optional()
      .describe(
        "Models or LoRA adapters that model servers receive as the model name, by weight. Default: the name of the model.",
      ),
  }),
).describe("Model name for clients, and the names that model servers receive for it.");

export const PoolRef = named(
  "PoolReference",
  z.strictObject({
    apiVersion: z
      .string()
      .optional()
      .describe("API version of the pool. The field is ignored. Default: none."),
    kind: PoolKind.default("LLMServerPool").describe("Kind of the pool."),
    namespace: output(namespaceName)
      .optional()
      .describe(
        "Namespace of the pool. A pool admits other namespaces in allowedNamespaces. Default: the LLMService's namespace.",
      ),
    name: poolName.describe("Name of the pool."),
  }),
).describe("Pool that an LLMService uses.");

/**
 * Maximum number of models of an LLMService. The API server's cost budget for a rule allows comparing this many names,
 * of any length.
 */
export const maxModels = 128;

export const LLMServiceSpec = z.strictObject({
  share: share
    .optional()
    .describe(
      "Weight of the service's requests relative to other services while a pool's capacity is exhausted, 1 to 1,000. Weights set in the pool override it. Default 1.",
    ),
  models: z
    .array(Model)
    .min(1)
    .max(maxModels)
    .meta(validations(uniqueBy("name", "a model name appears only once in a service")))
    .describe("Models of the service: 1 or more, each name once."),
  poolRef: z
    .array(PoolRef)
    .min(1)
    .max(32)
    .meta(
      // `namespace` is a reserved word in CEL; a field of that name is escaped like this.
      validations({
        rule: "self.all(a, self.exists_one(b, b.name == a.name && (has(b.__namespace__) ? b.__namespace__ : '') == (has(a.__namespace__) ? a.__namespace__ : '')))",
        message: "a service refers to each pool once, under either kind",
      }),
    )
    .describe("Pools that serve the models. They may belong to other stacks."),
});

export type LLMServiceSpec = z.infer<typeof LLMServiceSpec>;
export type LLMServiceSpecInput = z.input<typeof LLMServiceSpec>;
export type Model = z.infer<typeof Model>;
export type PoolRef = z.infer<typeof PoolRef>;
