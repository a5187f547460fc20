import { gateways, poolGatewayTypes } from "../gateways/index.ts";
import { wordsOf } from "./argument.ts";

export const PoolGatewayType = wordsOf(
  "PoolGatewayType",
  "Kinds of gateways in front of a pool.",
  poolGatewayTypes,
  (type) => `${gateways[type].title}.`,
);
