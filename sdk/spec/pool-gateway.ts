import { z } from "zod";
import { gateways, poolGatewayTypes } from "../gateways/index.ts";
import { named, wordsOf } from "./argument.ts";

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
      "The kind of gateway, which may need objects of its own beside the pool.",
    ),
  }),
).describe("The gateway in front of a pool.");
