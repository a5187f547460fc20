import { poolGateways, poolGatewayTypes } from "../gateways/pool-gateways.ts";
import { wordsOf } from "./argument.ts";

export const PoolGatewayType = wordsOf(
  "PoolGatewayType",
  "Kinds of gateways in front of a pool.",
  poolGatewayTypes,
  (type) => `${poolGateways[type].title}.`,
);
