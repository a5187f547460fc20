import { poolGatewayTypes } from "../../gateways/index.ts";
import type { ImportedPoolSpec } from "../../spec/imported-pool.ts";
import type { Parsed } from "../../validate/spec-kind.ts";
import type { GatewayLocation } from "../network-policy.ts";

/** Returns the location of the gateway whose proxies call the picker of an import. */
export const importGateway = ({
  metadata,
  spec: { gateway, parentRefs, routeNamespace = metadata.namespace },
}: Pick<Parsed<ImportedPoolSpec>, "metadata" | "spec">): GatewayLocation => ({
  type: poolGatewayTypes.find((type) => type === gateway.type) ?? "generic",
  namespaces: parentRefs.map(({ namespace = routeNamespace }) => namespace),
});
