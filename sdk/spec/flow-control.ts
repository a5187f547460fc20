import { z } from "zod";
import { positiveCount, quantityPattern } from "../../kubernetes/kinds/field-types.ts";
import { named, onByDefault, words } from "../schemas/argument.ts";
import { tenantHeader } from "./picker-requests.ts";

/** Maximum of a weight or share. */
const maxShare = 1_000;
export const share = positiveCount.max(maxShare);

const FairnessPolicy = words(
  "FairnessPolicy",
  "How LLMServices with queued requests share a pool.",
  {
    Weighted: ["weighted", "By tokens of prompts and responses, in proportion to the weights."],
    RoundRobin: ["round-robin", "In turns of one request, regardless of size."],
    FirstCome: ["first-come", "No sharing: the requests of all LLMServices form one queue."],
  },
);

const FairnessOrder = words(
  "FairnessOrder",
  "Whether objectives or fair shares take precedence if they conflict.",
  {
    ObjectivesFirst: [
      "objectives-first",
      "Requests for models with an objective precede all others. Each of the two groups is shared fairly.",
    ],
    FairnessFirst: [
      "fairness-first",
      "If both wait, models with an objective get one half of the pool and models without one get the other half.",
    ],
  },
);

export const Fairness = named(
  "Fairness",
  z.strictObject({
    policy: FairnessPolicy.default("weighted").describe("How LLMServices share the pool."),
    order: FairnessOrder.default("objectives-first").describe(
      "Whether objectives or fair shares take precedence.",
    ),
    byTenantHeader: tenantHeader
      .optional()
      .describe(
        "Header with the tenant whose share a request uses instead of the share of its LLMService. `weights` may then contain tenants. The gateway must set the header, because clients can forge it. Default: none.",
      ),
    weights: z
      .record(z.string(), share)
      .meta({ maxProperties: 256 })
      .optional()
      .describe(
        "Weights of LLMServices by `namespace/name`, 1 to 1,000. They override the `share` of a service. Default: the `share` of each service.",
      ),
  }),
).describe("How LLMServices share a pool whose capacity is exhausted.");

export const FlowControl = named(
  "FlowControl",
  z.strictObject({
    enabled: onByDefault(
      "Whether requests wait in the picker, ordered by priority and fairness, while no model server has free capacity. If false, they wait at the model servers.",
    ),
    timeBetweenTokensMs: positiveCount
      .max(10_000)
      .optional()
      .describe(
        "Target for the time between two tokens of a response, in ms. The picker limits the concurrent requests of each model server to the number that keeps this pace; further requests wait in the picker, by priority. Default: none.",
      ),
    maxRequests: positiveCount
      .max(1_000_000)
      .default(2_000)
      .describe("Maximum number of queued requests per priority. Further requests get status 429."),
    maxBytes: z
      .string()
      .regex(new RegExp(quantityPattern), "a quantity such as 256Mi")
      .default("256Mi")
      .describe(
        "Maximum size in bytes of the queued requests' bodies per priority, which the picker holds in memory.",
      ),
    requestTimeoutSeconds: positiveCount
      .max(86_400)
      .optional()
      .describe(
        "Maximum time in seconds that a request waits before it gets status 429. The gateway's timeout must be longer. Default 30.",
      ),
    noServerTimeoutSeconds: positiveCount
      .max(86_400)
      .optional()
      .describe(
        "Maximum time in seconds that a request waits while the pool has no model server, before it gets status 503. Set it to the start-up time of a model server. The gateway's timeout must be longer. Default 300; 299 behind Envoy AI Gateway, 59 behind NGINX Gateway Fabric; 1 for an exported pool, whose importer then tries another cluster.",
      ),
  }),
).describe("How requests wait in the picker. The defaults suit interactive chat.");

export type Fairness = z.infer<typeof Fairness>;
export type FlowControl = z.infer<typeof FlowControl>;
