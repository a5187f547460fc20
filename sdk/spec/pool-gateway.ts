import { z } from "zod";
import { gateways, poolGatewayTypes } from "../gateways/index.ts";
import { named, wordsOf } from "../schemas/argument.ts";

export const PoolGatewayType = wordsOf(
  "PoolGatewayType",
  "Kinds of gateways in front of a pool.",
  poolGatewayTypes,
  (type) => `${gateways[type].title}.`,
);

export const PoolGateway = named(
  "PoolGateway",
  z.strictObject({
    type: PoolGatewayType.describe(
      "Kind of gateway. Some kinds need further objects besides the pool.",
    ),
  }),
).describe("Gateway in front of a pool.");
