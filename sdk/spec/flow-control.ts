import { z } from "zod";
import { quantityPattern } from "../../kubernetes/kinds/field-types.ts";
import { named, words } from "./argument.ts";
import { tenantHeader } from "./picker-requests.ts";

/** The most that a weight or a share may be. */
const maxShare = 1_000;
export const share = z.int32().min(1).max(maxShare);

const FairnessPolicy = words("FairnessPolicy", "How LLMServices that wait share a pool.", {
  Weighted: ["weighted", "By tokens of prompts and answers, in proportion to their weights."],
  RoundRobin: ["round-robin", "In turns of one request, whatever its size."],
  FirstCome: ["first-come", "No fairness: requests of all LLMServices in order of arrival."],
});

const FairnessOrder = words(
  "FairnessOrder",
  "Whether objectives or fair shares come first where both cannot be had.",
  {
    ObjectivesFirst: [
      "objectives-first",
      "Requests for models with an objective go before all others; fairness holds among each.",
    ],
    FairnessFirst: [
      "fairness-first",
      "Models with an objective and models without have half of the pool each while both wait.",
    ],
  },
);

export const Fairness = named(
  "Fairness",
  z.strictObject({
    policy: FairnessPolicy.default("weighted").describe("How LLMServices share."),
    order: FairnessOrder.default("objectives-first").describe(
      "What comes first: objectives or fair shares.",
    ),
    byTenantHeader: tenantHeader
      .optional()
      .describe(
        "Header that names the tenant whose share a request takes, in place of its LLMService; `weights` may then name tenants. The gateway has to set it, since clients can. Default: none.",
      ),
    weights: z
      .record(z.string(), share)
      .meta({ maxProperties: 256 })
      .optional()
      .describe(
        "Weights of LLMServices by `namespace/name`, 1 to 1,000; they count in place of what a service says. Default: the `share` of each.",
      ),
  }),
).describe("How LLMServices share a pool that cannot serve all at once.");

export const FlowControl = named(
  "FlowControl",
  z.strictObject({
    enabled: z
      .boolean()
      .default(true)
      .describe(
        "Whether requests that no model server has room for wait in the picker, in an order; else they wait at the model servers.",
      ),
    timeBetweenTokensMs: z
      .int32()
      .min(1)
      .max(10_000)
      .optional()
      .describe(
        "Objective for the time between two tokens of an answer, in ms. A model server gets no more requests at once than it answers at this pace; the others wait in the picker, by their priority. Default: none.",
      ),
    maxRequests: z
      .int32()
      .min(1)
      .max(1_000_000)
      .default(2_000)
      .describe("Requests of a priority that may wait; more are answered with 429."),
    maxBytes: z
      .string()
      .regex(new RegExp(quantityPattern), "a quantity such as 256Mi")
      .default("256Mi")
      .describe("Bytes of their bodies, which the picker holds."),
    requestTimeoutSeconds: z
      .int32()
      .min(1)
      .max(86_400)
      .optional()
      .describe(
        "Seconds for which a request waits at most, until it is answered with 429. The gateway has to wait for longer. Default 30; 4 behind kgateway, which waits for 5.",
      ),
    noServerTimeoutSeconds: z
      .int32()
      .min(1)
      .max(86_400)
      .optional()
      .describe(
        "Longest time a request waits while the pool has no model server, in seconds, until it is answered with 503. Set it to the time that a model server takes to start. The gateway has to wait for longer. Default 300; 299 behind Envoy AI Gateway, 59 behind NGINX Gateway Fabric, 4 behind kgateway; 1 for an exported pool, whose importer then asks another cluster.",
      ),
  }),
).describe("How requests wait in the picker. The defaults suit interactive chat.");

export type Fairness = z.infer<typeof Fairness>;
export type FlowControl = z.infer<typeof FlowControl>;
