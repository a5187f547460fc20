import { parseDuration } from "../../../kubernetes/values/duration.ts";
import type { Path } from "../../errors.ts";
import {
  type PoolGatewayType,
  poolGatewayType,
  poolSupportOf,
  type WrittenGateway,
} from "../../gateways/index.ts";
import type { Finding, Invariant } from "../../invariant.ts";
import type { FlowControl } from "../../spec/flow-control.ts";
import type { InferenceServiceSpec } from "../../spec/inference-service.ts";
import { isRouter, type RouterRole } from "../../spec/role.ts";

const rule = {
  id: "gateway-waits-for-the-queue",
  title: "A request waits in the picker for less time than the gateway's timeout",
  why: "If the gateway gives up first, the request loses its position in the queue. The client gets an unspecific error, or, with FailOpen, a response of an arbitrary pod.",
  source: "Envoy, ext_proc message_timeout; Gateway API, HTTPRouteTimeouts",
  code: "conflict",
} as const;

const waits = ["requestTimeoutSeconds", "noServerTimeoutSeconds"] as const;

export const poolGatewayWaits: Invariant<{
  readonly gateway?: WrittenGateway | undefined;
  readonly flowControl?: FlowControl | undefined;
}> = {
  ...rule,
  check: ({ gateway, flowControl }) =>
    beyondGateway(poolGatewayType(gateway), flowControl, ["flowControl"]),
};

export const routerGatewayWaits: Invariant<InferenceServiceSpec> = {
  ...rule,
  *check({ roles }) {
    for (const [index, role] of roles.entries()) {
      if (!isRouter(role)) continue;
      const at = ["roles", index];
      yield* beyondGateway(poolGatewayType(role.gateway), role.flowControl, [...at, "flowControl"]);
      yield* beyondRoute(role, [...at, "flowControl"]);
    }
  },
};

function* beyondGateway(
  gateway: PoolGatewayType,
  flowControl: FlowControl | undefined,
  path: Path,
): Iterable<Finding> {
  if (flowControl?.enabled !== true) return;
  const seconds = poolSupportOf(gateway).pickerTimeoutSeconds;
  for (const field of waits) {
    const wait = flowControl[field];
    if (wait === undefined || wait < seconds) continue;
    yield {
      path: [...path, field],
      given: `is ${wait}, and ${gateway} waits at most ${seconds} s for the picker`,
      allowed: `less than ${seconds} s`,
      fix: "Lower it. If you raise the gateway's timeout with an object of your own, ignore this warning.",
    };
  }
}

/**
 * Finds waits that exceed the timeout of a route rule. This timeout runs from the request to the end of the response.
 */
function* beyondRoute({ flowControl, httproute }: RouterRole, path: Path): Iterable<Finding> {
  const wait = flowControl?.requestTimeoutSeconds;
  if (flowControl?.enabled !== true || wait === undefined) return;
  for (const [at, { timeouts }] of (httproute?.rules ?? []).entries()) {
    const request = (timeouts as { request?: unknown } | undefined)?.request;
    const limit = typeof request === "string" ? parseDuration(request) : undefined;
    // 0 disables the timeout.
    if (limit === undefined || limit === 0 || 1_000 * wait < limit) continue;
    yield {
      path: [...path, "requestTimeoutSeconds"],
      given: `is ${wait}, and httproute.rules[${at}].timeouts.request is ${request}`,
      allowed: "less than the route's timeout, which also covers the response",
      fix: "Lower it, or raise the route's timeout.",
    };
  }
}
