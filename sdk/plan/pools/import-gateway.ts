import { type PoolGatewayType, poolGateways } from "../../gateways/pool-gateways.ts";
import type { ImportedPoolSpec } from "../../spec/imported-pool.ts";
import type { Parsed } from "../../validate/spec-kind.ts";
import type { GatewayPlace } from "../network-policy.ts";

const proxiesKnown = (type: string): type is PoolGatewayType => Object.hasOwn(poolGateways, type);

/** The gateway whose proxies ask the picker of an import. */
export const importGateway = ({
  metadata,
  spec: { gateway, parentRefs, routeNamespace = metadata.namespace },
}: Pick<Parsed<ImportedPoolSpec>, "metadata" | "spec">): GatewayPlace => ({
  type: proxiesKnown(gateway.type) ? gateway.type : "generic",
  namespaces: parentRefs.map(({ namespace = routeNamespace }) => namespace),
});
