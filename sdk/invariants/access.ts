import {
  accessGatewayTypes,
  accessSupportOf,
  createdGateway,
  poolGatewayType,
} from "../gateways/index.ts";
import type { Invariant } from "../invariant.ts";
import { credentials } from "../spec/access.ts";
import { type PartialSpec, routers } from "./partial-spec.ts";

const elsewhere =
  "remove access, restrict clients with your own policy, and set tenantHeader to the header that the policy sets";

const accessHasOneCredential: Invariant<PartialSpec> = {
  id: "access-has-one-credential",
  title: "Access is by API keys or by tokens, on a router with a route",
  why: "A gateway requires every credential of a policy, and without a route there is nothing to restrict.",
  source: "Envoy Gateway, SecurityPolicy; docs/access.md",
  code: "conflict",
  *check(spec) {
    for (const { index, role } of routers(spec)) {
      const { access, httproute, gateway } = role;
      if (access === undefined) continue;
      const path = ["roles", index, "access"];
      const set = credentials.filter((credential) => access[credential] !== undefined);
      if (set.length > 1) {
        yield {
          path,
          given: `sets ${set.join(" and ")}`,
          allowed: `one of ${credentials.join(", ")}`,
          fix: "Remove one of them.",
        };
      }
      if (httproute === undefined && createdGateway(gateway) === undefined) {
        yield {
          path,
          given: "is set, but the router has no route",
          allowed: "access only with httproute, or with a Gateway to create",
          fix: "Set httproute, or remove access and restrict your own route.",
        };
      }
    }
  },
};

const gatewayHasAPolicy: Invariant<PartialSpec> = {
  id: "gateway-restricts-access",
  title: "The gateway has a policy for the credentials of its clients",
  why: "Without a policy everyone who reaches the gateway could send requests in the name of any tenant.",
  source: "docs/access.md",
  code: "conflict",
  *check(spec) {
    for (const { index, role } of routers(spec)) {
      const { access, gateway } = role;
      if (access === undefined) continue;
      const type = poolGatewayType(gateway);
      const support = accessSupportOf(type);
      for (const credential of credentials) {
        if (access[credential] === undefined) continue;
        if (support?.credentials.includes(credential)) continue;
        yield {
          path: ["roles", index, "access", credential],
          given: `is set, but the plan knows no policy for it of gateways of type ${type}`,
          allowed: `gateways of type ${accessGatewayTypes(credential).join(", ")}`,
          fix: `Set gateway.type if the gateway is one of these. Otherwise ${elsewhere}.`,
        };
      }
      if (support?.coversGateway && createdGateway(gateway) === undefined) {
        yield {
          path: ["roles", index, "access"],
          given: `is set with a Gateway of type ${type} that the plan does not create`,
          allowed:
            "a Gateway that the router creates, because the policies cover all routes of a Gateway",
          fix: `Set gatewayClassName and listeners in gateway. Otherwise ${elsewhere}.`,
        };
      }
    }
  },
};

export const accessRules: readonly Invariant<PartialSpec>[] = [
  accessHasOneCredential,
  gatewayHasAPolicy,
];
