import { z } from "zod";
import { namespaceName, objectName, portNumber } from "../../kubernetes/kinds/field-types.ts";
import { modelName } from "./model-target.ts";

/**
 * Which requests of a Gateway go to which pools: an HTTPRoute whose backends are InferencePools.
 * Traffic between pools is split here, traffic between models of one pool by LLMService and InferenceModelRewrite
 * (LLM Instance Gateway proposal, FAQ "Why 2 layers of weighting?").
 */

const RoutePool = z.strictObject({
  name: objectName,
  /** Default: the route's. A pool elsewhere needs a ReferenceGrant there. */
  namespace: namespaceName.optional(),
  port: portNumber.optional(),
  /** Share of the requests: weight divided by the sum of the rule's weights. 0 sends none. */
  weight: z.int().min(0).max(1_000_000).default(1),
});

const RouteRule = z.strictObject({
  /** Only requests for this model, by the header X-Gateway-Model-Name, which a body-based router in front sets. */
  model: modelName.optional(),
  /** HTTPRoute matches. Default: the paths of clients' APIs; a match of path `/` serves every path. */
  matches: z.array(z.looseObject({})).min(1).optional(),
  /** HTTPRoute filters. */
  filters: z.array(z.looseObject({})).optional(),
  timeouts: z.looseObject({}).optional(),
  pools: z.array(RoutePool).min(1).max(16),
});

export const InferenceRouteSpec = z.strictObject({
  parentRefs: z
    .array(z.looseObject({ name: z.string() }))
    .min(1)
    .max(32),
  hostnames: z.array(z.string()).max(16).optional(),
  rules: z.array(RouteRule).min(1).max(16),
});

export type InferenceRouteSpec = z.infer<typeof InferenceRouteSpec>;
export type RouteRule = z.infer<typeof RouteRule>;
