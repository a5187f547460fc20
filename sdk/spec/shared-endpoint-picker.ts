import { z } from "zod";
import { portNumber, positiveCount } from "../../kubernetes/kinds/field-types.ts";
import { named, onByDefault } from "../schemas/argument.ts";
import { NetworkPolicyArgument } from "./network-policy.ts";
import { pickerServingFields } from "./picker-serving.ts";
import { PoolGatewayType } from "./pool-gateway.ts";
import { programPodFields } from "./program-pods.ts";

/** Maximum number of ports of a shared picker, one per pool. */
export const maxSharedPorts = 1_000;

const PoolPorts = named(
  "PoolPorts",
  z.strictObject({
    first: portNumber.default(10_000).describe("First port. Default 10000."),
    count: positiveCount
      .max(maxSharedPorts)
      .default(16)
      .describe(`Number of consecutive ports, 1 to ${maxSharedPorts}. Default 16.`),
  }),
).describe("Ports of a shared picker's Service, one per pool.");

export const SharedEndpointPickerSpec = z.strictObject({
  ports: PoolPorts.prefault({}).describe(
    "Ports of the picker's Service. Each pool uses a port of its own, set in its `endpointPicker.shared.port`. Default: 16 ports, from 10000.",
  ),
  replicas: z
    .int32()
    .min(0)
    .default(2)
    .describe("Pods of the picker. Each pod serves every pool. Default 2."),
  gatewayType: PoolGatewayType.default("generic").describe(
    "Kind of the gateway in front. Some kinds need a further object to call the picker. Default: a kind that needs none.",
  ),
  metricsAuth: onByDefault(
    "Whether the picker's /metrics requires a bearer token with permission to read it. This needs a ClusterRole. Default true.",
  ),
  networkPolicy: NetworkPolicyArgument.describe(
    "Peers that may open connections to the picker. Default: only the peers that need to.",
  ),
  ...programPodFields,
  ...pickerServingFields,
});

export type SharedEndpointPickerSpec = z.infer<typeof SharedEndpointPickerSpec>;
