import { z } from "zod";
import { portNumber } from "../../kubernetes/kinds/field-types.ts";
import { named } from "./argument.ts";
import { NetworkPolicyArgument } from "./network-policy.ts";
import { pickerServingFields } from "./picker-serving.ts";
import { PoolGatewayType } from "./pool-gateway.ts";
import { programPodFields } from "./program-pods.ts";

/** A picker that several pools of a namespace share. */

/** The most ports of a shared picker, one for each pool. */
export const maxSharedPorts = 1_000;

const PoolPorts = named(
  "PoolPorts",
  z.strictObject({
    first: portNumber.default(10_000).describe("The first port. Default 10000."),
    count: z
      .int32()
      .min(1)
      .max(maxSharedPorts)
      .default(16)
      .describe(`How many ports follow each other, 1 to ${maxSharedPorts}. Default 16.`),
  }),
).describe("Ports of a shared picker's Service, one for each pool.");

export const SharedEndpointPickerSpec = z.strictObject({
  ports: PoolPorts.prefault({}).describe(
    "Ports of the picker's Service for pools: each pool has one of its own, which its `endpointPicker.shared.port` names. Default: 16 ports from 10000 on.",
  ),
  replicas: z
    .int32()
    .min(0)
    .default(2)
    .describe("Pods of the picker. Each picks for every pool. Default 2."),
  gatewayType: PoolGatewayType.default("generic").describe(
    "Kind of the gateway in front, which may need an object of its own to ask the picker. Default: one that needs none.",
  ),
  metricsAuth: z
    .boolean()
    .default(true)
    .describe(
      "Whether the picker's /metrics asks for a token that may read it, which needs a ClusterRole. Default true.",
    ),
  networkPolicy: NetworkPolicyArgument.describe(
    "Who may open connections to the picker. Default: those who have to.",
  ),
  ...programPodFields,
  ...pickerServingFields,
});

export type SharedEndpointPickerSpec = z.infer<typeof SharedEndpointPickerSpec>;
