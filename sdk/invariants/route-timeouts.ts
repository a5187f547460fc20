import { type PoolGatewayType, poolSupportOf } from "../gateways/index.ts";

/** Timeouts of routes: what a spec and a stack are both held to. */
export const gatewayTakesTimeouts = {
  id: "gateway-takes-route-timeouts",
  title: "A route has no timeouts if its gateway rejects them",
  why: "The gateway rejects all rules of the route, and requests get 404.",
  source: "GKE, GatewayClass capabilities; kserve/kserve issues 5311 and 5707",
  code: "conflict",
} as const;

/** Returns what is wrong with timeouts behind a gateway that rejects the field; undefined if nothing is. */
export const refusedTimeouts = (type: PoolGatewayType, timeouts: unknown) =>
  timeouts === undefined || poolSupportOf(type).refusesTimeouts !== true
    ? undefined
    : {
        given: `is set, but ${type} rejects routes with timeouts`,
        allowed: "no timeouts",
        fix: "Remove timeouts, and set timeoutSec in a GCPBackendPolicy.",
      };

/** Returns what is wrong with a rule that leaves the limit of answers to a gateway that cuts them; undefined if nothing is. */
export function cutAnswers(type: PoolGatewayType, timeouts: unknown) {
  const limit = poolSupportOf(type).answerLimitSeconds;
  if (limit === undefined || timeouts !== undefined) return undefined;
  return {
    given: `is missing, so ${type} cuts off responses after ${limit} s`,
    allowed: '"0s", which disables the timeout, or the duration of the longest response',
    fix: 'Set timeouts.request to "0s".',
  };
}
