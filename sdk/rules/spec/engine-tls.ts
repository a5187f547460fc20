import { engineOf } from "../../engines/containers/engine-container.ts";
import { isTls } from "../../engines/containers/server.ts";
import { poolGatewayType, poolGatewayTypes, poolSupportOf } from "../../gateways/index.ts";
import type { Invariant } from "../../invariant.ts";
import type { InferenceServiceSpec } from "../../spec/inference-service.ts";
import { isInferenceRole, isRouter } from "../../spec/role.ts";
import { servesTls } from "../../topology/serving-port.ts";
import { argumentsPath } from "../helpers/arguments-path.ts";
import { inferenceRoles, type PartialSpec, routers } from "../helpers/partial-spec.ts";

/** Gateways connect to the pods of a pool over HTTP, unless an object of the gateway's API changes this. */
const rule = {
  id: "gateway-reaches-tls-engines",
  title: "The gateway connects over HTTPS to engines that serve HTTPS",
  why: "An engine with --ssl-keyfile does not answer plain HTTP, and clients get 503.",
  source:
    "Istio, DestinationRule; Gateway API, BackendTLSPolicy, whose targets are Services, not pools",
  code: "conflict",
} as const;

const fix =
  "Remove --ssl-keyfile and --ssl-certfile and terminate TLS at the gateway, or use gateway type istio.";

const typesThatReach = poolGatewayTypes
  .filter((type) => poolSupportOf(type).reachesTls === true)
  .join(", ");

export const gatewayReachesTlsEngines: Invariant<PartialSpec> = {
  ...rule,
  *check(spec) {
    const router = routers(spec)[0]?.role;
    if (router === undefined) return;
    const type = poolGatewayType(router.gateway);
    if (poolSupportOf(type).reachesTls !== false) return;
    for (const { index, role } of inferenceRoles(spec)) {
      if (!isTls(engineOf(role.template.spec))) continue;
      yield {
        path: argumentsPath(index, role.template.spec),
        given: `start an engine with TLS behind a gateway of type ${type}`,
        allowed: `an engine without TLS, or a gateway type that connects over HTTPS: ${typesThatReach}`,
        fix,
      };
    }
  },
};

/** Warning for a gateway of unknown configuration. */
export const unknownGatewayReachesTlsEngines: Invariant<InferenceServiceSpec> = {
  ...rule,
  *check(spec) {
    const router = spec.roles.find(isRouter);
    if (router === undefined || !servesTls(spec)) return;
    if (poolSupportOf(poolGatewayType(router.gateway)).reachesTls !== undefined) return;
    const index = spec.roles.findIndex(
      (role) => isInferenceRole(role) && isTls(engineOf(role.template.spec)),
    );
    const role = spec.roles[index];
    if (role === undefined || !isInferenceRole(role)) return;
    yield {
      path: argumentsPath(index, role.template.spec),
      given: "start an engine with TLS, and it is unknown whether the gateway connects over HTTPS",
      allowed: `a gateway type that connects over HTTPS: ${typesThatReach}`,
      fix: `Set the router's gateway.type. ${fix}`,
    };
  },
};
