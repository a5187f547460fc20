import { z } from "zod";
import { count, objectName } from "../../kubernetes/kinds/field-types.ts";
import { named, onByDefault } from "../schemas/argument.ts";
import { NetworkPolicyArgument } from "./network-policy.ts";
import { PoolGatewayType } from "./pool-gateway.ts";
import { programPodFields } from "./program-pods.ts";

/** Reads the model of each request before a gateway chooses its route. */

const ModelRouterGateway = named(
  "ModelRouterGateway",
  z.strictObject({
    name: objectName.describe(
      "Name of the Gateway, in the namespace of the model router. Only routes of this Gateway count.",
    ),
    type: PoolGatewayType.default("generic").describe(
      "Kind of the gateway. For `envoy-gateway`, `istio`, `agentgateway` and `gke`, the object that connects the gateway to the model router is created. Configure any other gateway manually: ext_proc, with request bodies in full duplex, at port 9002 of the Service. Default generic.",
    ),
  }),
).describe("Gateway behind the model router.");

export const ModelRouterSpec = z.strictObject({
  gateway: ModelRouterGateway.describe("Gateway whose requests the model router reads."),
  replicas: count
    .default(2)
    .describe("Pods of the model router. While none responds, the gateway rejects every request."),
  metricsAuth: onByDefault(
    "Whether its pages require a bearer token with permission to read them.",
  ),
  networkPolicy: NetworkPolicyArgument.describe(
    "Peers that may open connections to the model router. Default: only the peers that need to.",
  ),
  ...programPodFields,
});

export type ModelRouterSpec = z.infer<typeof ModelRouterSpec>;
