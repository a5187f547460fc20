import { z } from "zod";
import { namespaceName, portNumber } from "../../kubernetes/kinds/field-types.ts";
import { named, output, typed } from "./argument.ts";
import { poolName } from "./llm-service.ts";
import { modelName } from "./model-target.ts";
import { PoolGateway } from "./pool-gateway.ts";

/**
 * Which requests of a Gateway go to which pools: an HTTPRoute whose backends are InferencePools.
 * Traffic between pools is split here, traffic between models of one pool by LLMService and InferenceModelRewrite
 * (LLM Instance Gateway proposal, FAQ "Why 2 layers of weighting?").
 */

const parentRefs = z
  .array(typed("ParentReference", z.looseObject({ name: output(z.string()) })))
  .min(1)
  .max(32)
  .describe("Gateways to attach to: name, and namespace, sectionName, port where needed.");

const hostnames = z
  .array(output(z.string()))
  .max(16)
  .optional()
  .describe("Host names. Default: those of the gateways' listeners.");

const httpRoute = (type: string) => output(typed(type, z.looseObject({})));

const matches = z
  .array(httpRoute("HTTPRouteMatch"))
  .min(1)
  .optional()
  .describe(
    'HTTPRoute matches. Default: the paths of clients\' APIs; `[{ path: { value: "/" } }]` serves every path.',
  );

const filters = z
  .array(httpRoute("HTTPRouteFilter"))
  .optional()
  .describe("HTTPRoute filters. Default: none.");

/** Fields that every route to pools has, with the types of HTTPRoute. */
export const routeFields = { parentRefs, hostnames, matches, filters };

const RoutePool = named(
  "RoutePool",
  z.strictObject({
    name: poolName.describe(
      "The name of the InferencePool: `poolName` of a pool or an InferenceService.",
    ),
    namespace: output(namespaceName)
      .optional()
      .describe(
        "The pool's namespace. A pool elsewhere needs a ReferenceGrant there, which `referenceGrants` makes. Default: the route's.",
      ),
    port: portNumber.optional().describe("Port of the pool. Default: its first."),
    weight: z
      .int()
      .min(0)
      .max(1_000_000)
      .default(1)
      .describe(
        "Weight of the pool, 0 to 1,000,000: its share is the weight divided by the sum of the rule's weights. 0 sends none.",
      ),
  }),
).describe("A pool's share of a rule's requests.");

const RouteRule = named(
  "InferenceRouteRule",
  z.strictObject({
    model: modelName
      .optional()
      .describe(
        "Only requests for this model. It becomes a match on the header X-Gateway-Model-Name, which a ModelRouter in front of the Gateway sets: an HTTPRoute cannot read bodies. Default: any.",
      ),
    baseModel: modelName
      .optional()
      .describe(
        "Only requests for this model and for every model that LLMServices and rewrites have on the rule's pools: one rule for thousands of names. It becomes a match on the header X-Gateway-Base-Model-Name, which a ModelRouter sets. Default: any.",
      ),
    matches,
    filters,
    timeouts: httpRoute("HTTPRouteTimeouts")
      .optional()
      .describe(
        "HTTPRoute timeouts. Default: `request: 0s`, which disables the limit, if `gateway.type` is one that cuts answers otherwise; else the gateway's.",
      ),
    pools: z
      .array(RoutePool)
      .min(1)
      .max(16)
      .describe("The pools that requests go to, by weight: 1 to 16."),
  }),
).describe("Which requests go to which pools.");

export const InferenceRouteSpec = z.strictObject({
  parentRefs,
  hostnames,
  gateway: PoolGateway.optional().describe(
    "The gateways that parentRefs names: their kind decides whether rules need timeouts. Default: any, for which no timeouts are set.",
  ),
  rules: z.array(RouteRule).min(1).max(16).describe("The rules: 1 to 16."),
  referenceGrants: z
    .boolean()
    .default(false)
    .describe(
      "Whether the route comes with a ReferenceGrant in each other namespace that its pools are in, which whoever deploys the route needs the right to make; a namespace that is not known at preview gets none. Default false: the pools' owners make them.",
    ),
});

export type InferenceRouteSpec = z.infer<typeof InferenceRouteSpec>;
export type RouteRule = z.infer<typeof RouteRule>;
