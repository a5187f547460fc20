import { z } from "zod";
import { objectName } from "../../kubernetes/kinds/field-types.ts";
import { named } from "./argument.ts";
import { NetworkPolicyArgument } from "./network-policy.ts";
import { PoolGatewayType } from "./pool-gateway.ts";
import { programPodFields } from "./program-pods.ts";

/** What reads the model of each request before a gateway chooses its route. */

const ModelRouterGateway = named(
  "ModelRouterGateway",
  z.strictObject({
    name: objectName.describe(
      "Name of the Gateway, in the namespace of the model router. Routes of others do not count.",
    ),
    type: PoolGatewayType.default("generic").describe(
      "Kind of the gateway, which decides the object by which it asks the model router: `envoy-gateway`, `istio`, `agentgateway` and `gke` have one. Any other is to be told by hand: ext_proc, with request bodies in full duplex, at port 9002 of the Service. Default generic.",
    ),
  }),
).describe("The Gateway that a model router is in front of.");

export const ModelRouterSpec = z.strictObject({
  gateway: ModelRouterGateway.describe("The Gateway that the model router is in front of."),
  replicas: z
    .int32()
    .min(0)
    .default(2)
    .describe("Pods of the model router. While none answers, the gateway refuses every request."),
  metricsAuth: z
    .boolean()
    .default(true)
    .describe("Whether its pages ask for a token that may read them."),
  networkPolicy: NetworkPolicyArgument.describe(
    "Who may open connections to the model router. Default: those who have to.",
  ),
  ...programPodFields,
});

export type ModelRouterSpec = z.infer<typeof ModelRouterSpec>;
