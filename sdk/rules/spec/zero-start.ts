import { type PoolGatewayType, poolGatewayType, poolSupportOf } from "../../gateways/index.ts";
import type { FindingText, Invariant } from "../../invariant.ts";
import type { InferenceServiceSpec } from "../../spec/inference-service.ts";
import { isRouter } from "../../spec/role.ts";

/** Rule on services that scale to zero. Shared by the rules on specs and on stacks. */
export const firstRequestWaits = {
  id: "gateway-waits-for-the-first-replica",
  title: "A service that scales to zero has a gateway that waits until a replica has started",
  why: "The first request starts the replica. If the gateway stops waiting before the replica is ready, this request fails, and so do the requests after it until the replica is ready.",
  source: "Envoy, ext_proc message_timeout; docs/scaling.md, To zero",
  code: "conflict",
} as const;

/** Seconds in which almost no engine on an accelerator starts: it loads weights, compiles, and reserves its cache. */
const usualStart = 120;

/** Returns the fault of a service without replicas behind a gateway. */
export function gatewayGivesUp(
  minimum: number,
  gateway: PoolGatewayType | undefined,
): FindingText | undefined {
  if (minimum > 0 || gateway === undefined) return undefined;
  const seconds = poolSupportOf(gateway).pickerTimeoutSeconds;
  if (seconds >= usualStart) return undefined;
  return {
    given: `is 0, and ${gateway} waits at most ${seconds} s for the picker, which is shorter than the start of an engine`,
    allowed: "at least 1 behind this gateway, or a gateway that waits longer",
    fix: "Set the minimum to 1, or use a gateway that waits for the start: docs/gateways.md. If your clients retry until the replica is ready, ignore this finding.",
  };
}

export const routerGatewayWaitsForStart: Invariant<InferenceServiceSpec> = {
  ...firstRequestWaits,
  *check({ autoscaling, roles }) {
    const router = roles.find(isRouter);
    if (autoscaling === undefined || router?.gateway === undefined) return;
    const problem = gatewayGivesUp(autoscaling.minUnits, poolGatewayType(router.gateway));
    if (problem !== undefined) yield { path: ["autoscaling", "minUnits"], ...problem };
  },
};
