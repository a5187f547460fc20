import { z } from "zod";
import { namespaceName, portNumber } from "../../kubernetes/kinds/field-types.ts";
import { httpRoute as httpRouteKind } from "../../kubernetes/kinds/http-route.ts";
import { named, offByDefault, output, typed } from "../schemas/argument.ts";
import { partOf } from "../schemas/kubernetes-object.ts";
import { Access, defaultTenantHeader } from "./access.ts";
import { poolName } from "./llm-service.ts";
import { modelName } from "./model-target.ts";
import { PoolGateway } from "./pool-gateway.ts";

/**
 * Assigns requests of a Gateway to pools: an HTTPRoute whose backends are InferencePools. It splits traffic between
 * pools; LLMService and InferenceModelRewrite split traffic between models of one pool (LLM Instance Gateway proposal,
 * FAQ "Why 2 layers of weighting?").
 */

const parentRefs = z
  .array(
    typed(
      "ParentReference",
      partOf(httpRouteKind, ["parentRefs"], z.looseObject({ name: output(z.string()) })),
    ),
  )
  .min(1)
  .max(32)
  .describe(
    "Gateways that the route attaches to: name, and optionally namespace, sectionName and port.",
  );

const hostnames = z
  .array(output(z.string()))
  .max(16)
  .optional()
  .describe("Host names. Default: the host names of the gateways' listeners.");

const httpRoute = (type: string, field: string) =>
  output(typed(type, partOf(httpRouteKind, ["rules", field], z.looseObject({}))));

const matches = z
  .array(httpRoute("HTTPRouteMatch", "matches"))
  .min(1)
  .optional()
  .describe(
    'HTTPRoute matches. Default: the paths of clients\' APIs; `[{ path: { value: "/" } }]` serves every path.',
  );

const filters = z
  .array(httpRoute("HTTPRouteFilter", "filters"))
  .optional()
  .describe("HTTPRoute filters. Default: none.");

/** Fields of every route to pools, with the types of HTTPRoute. */
export const routeFields = { parentRefs, hostnames, matches, filters };

const RoutePool = named(
  "RoutePool",
  z.strictObject({
    name: poolName.describe(
      "Name of the InferencePool: `poolName` of a pool or an InferenceService.",
    ),
    namespace: output(namespaceName)
      .optional()
      .describe(
        "Namespace of the pool. A pool in another namespace needs a ReferenceGrant there, which `referenceGrants` creates. Default: the route's namespace.",
      ),
    port: portNumber.optional().describe("Port of the pool. Default: its first port."),
    weight: z
      .int()
      .min(0)
      .max(1_000_000)
      .default(1)
      .describe(
        "Weight of the pool, 0 to 1,000,000: its share is the weight divided by the sum of the rule's weights. A pool with weight 0 gets no requests.",
      ),
  }),
).describe("Pool that gets a share of a rule's requests.");

const RouteRule = named(
  "InferenceRouteRule",
  z.strictObject({
    model: modelName
      .optional()
      .describe(
        "Model that the rule is limited to. The rule matches on the header X-Gateway-Model-Name, which a ModelRouter in front of the Gateway sets, because an HTTPRoute cannot read bodies. Default: any model.",
      ),
    baseModel: modelName
      .optional()
      .describe(
        "Base model that the rule is limited to: the rule applies to the model and to every model name that LLMServices and rewrites add to the rule's pools, so that one rule covers thousands of names. It matches on the header X-Gateway-Base-Model-Name, which a ModelRouter sets. Default: any model.",
      ),
    matches,
    filters,
    timeouts: httpRoute("HTTPRouteTimeouts", "timeouts")
      .optional()
      .describe(
        "HTTPRoute timeouts. Default: `request: 0s`, which disables the limit, if gateways of type `gateway.type` otherwise cut long responses; else the gateway's default.",
      ),
    pools: z
      .array(RoutePool)
      .min(1)
      .max(16)
      .describe("Pools that receive the requests, by weight: 1 to 16."),
  }),
).describe("Rule that sends matching requests to pools.");

export const InferenceRouteSpec = z.strictObject({
  parentRefs,
  hostnames,
  gateway: PoolGateway.optional().describe(
    "Gateways in parentRefs. Their type decides whether rules need timeouts, and selects the policy of `access`. Default: unspecified, without timeouts.",
  ),
  access: Access.optional().describe(
    `Clients that may send requests, by a policy of the gateway. The gateway names the tenant of each request in the header \`${defaultTenantHeader}\`, and removes this header from clients' requests. Set it as \`endpointPicker.tenantHeader\` of the pools. Default: everyone who can reach the gateway.`,
  ),
  rules: z.array(RouteRule).min(1).max(16).describe("Rules of the route: 1 to 16."),
  referenceGrants: offByDefault(
    "Whether to create a ReferenceGrant in each other namespace with one of the route's pools. The user who deploys the route needs the right to create it. A namespace that is unknown at preview gets none. Default false: the owners of the pools create the grants.",
  ),
});

export type InferenceRouteSpec = z.infer<typeof InferenceRouteSpec>;
export type RouteRule = z.infer<typeof RouteRule>;
