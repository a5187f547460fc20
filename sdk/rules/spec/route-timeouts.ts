import { type PoolGatewayType, poolSupportOf } from "../../gateways/index.ts";

/** Rule on the timeouts of routes. Shared by the rules on specs and on stacks. */
export const gatewayTakesTimeouts = {
  id: "gateway-takes-route-timeouts",
  title: "A route has no timeouts if its gateway rejects them",
  why: "The gateway rejects all rules of the route, and requests get 404.",
  source: "GKE, GatewayClass capabilities; kserve/kserve issues 5311 and 5707",
  code: "conflict",
} as const;

/** Returns the fault in the timeouts of a rule whose gateway rejects the field. Undefined if there is none. */
export const refusedTimeouts = (type: PoolGatewayType, timeouts: unknown) =>
  timeouts === undefined || poolSupportOf(type).refusesTimeouts !== true
    ? undefined
    : {
        given: `is set, but ${type} rejects routes with timeouts`,
        allowed: "no timeouts",
        fix: "Remove timeouts, and set timeoutSec in a GCPBackendPolicy.",
      };

/**
 * Returns the fault in a rule without timeouts whose gateway cuts off long responses by default. Undefined if there is
 * none.
 */
export function cutAnswers(type: PoolGatewayType, timeouts: unknown) {
  const limit = poolSupportOf(type).answerLimitSeconds;
  if (limit === undefined || timeouts !== undefined) return undefined;
  return {
    given: `is missing, so ${type} cuts off responses after ${limit} s`,
    allowed: '"0s", which disables the timeout, or the duration of the longest response',
    fix: 'Set timeouts.request to "0s".',
  };
}
