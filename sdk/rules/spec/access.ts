import { isMap } from "../../../kubernetes/values/records.ts";
import {
  accessGatewayTypes,
  accessSupportOf,
  createdGateway,
  type PoolGatewayType,
  poolGatewayType,
} from "../../gateways/index.ts";
import type { Finding, Invariant } from "../../invariant.ts";
import { credentials } from "../../spec/access.ts";
import { type InferenceServiceSpec, routerOf } from "../../spec/inference-service.ts";
import { PoolGateway } from "../../spec/pool-gateway.ts";
import { type PartialSpec, routers } from "../helpers/partial-spec.ts";
import type { RawSpec } from "../helpers/raw-spec.ts";

type WrittenAccess = Readonly<Record<string, unknown>>;

const elsewhere =
  "remove access, restrict clients with your own policy, and set tenantHeader to the header that the policy sets";

const oneCredential = {
  id: "access-has-one-credential",
  title: "Access is by API keys or by tokens, on a router with a route",
  why: "A gateway requires every credential of a policy, and without a route there is nothing to restrict.",
  source: "Envoy Gateway, SecurityPolicy; docs/access.md",
  code: "conflict",
} as const;

function* severalCredentials(access: WrittenAccess, path: Finding["path"]): Iterable<Finding> {
  const set = credentials.filter((credential) => access[credential] !== undefined);
  if (set.length < 2) return;
  yield {
    path,
    given: `sets ${set.join(" and ")}`,
    allowed: `one of ${credentials.join(", ")}`,
    fix: "Remove one of them.",
  };
}

const aPolicy = {
  id: "gateway-restricts-access",
  title: "The gateway has a policy for the credentials of its clients",
  why: "Without a policy everyone who reaches the gateway could send requests in the name of any tenant.",
  source: "docs/access.md",
  code: "conflict",
} as const;

function* withoutPolicy(
  access: WrittenAccess,
  type: PoolGatewayType,
  path: Finding["path"],
): Iterable<Finding> {
  for (const credential of credentials) {
    if (access[credential] === undefined) continue;
    if (accessSupportOf(type)?.credentials.includes(credential)) continue;
    yield {
      path: [...path, credential],
      given: `is set, but the plan knows no such policy for gateways of type ${type}`,
      allowed: `gateways of type ${accessGatewayTypes(credential).join(", ")}`,
      fix: `Set gateway.type if the gateway is one of these. Otherwise ${elsewhere}.`,
    };
  }
}

const coveredGateway = (type: PoolGatewayType, path: Finding["path"], fix: string): Finding => ({
  path,
  given: `is set with a Gateway of type ${type} that the plan does not create`,
  allowed: "a Gateway that a router creates, because the policies cover all routes of a Gateway",
  fix: `${fix} Otherwise ${elsewhere}.`,
});

const accessHasOneCredential: Invariant<PartialSpec> = {
  ...oneCredential,
  *check(spec) {
    for (const { index, role } of routers(spec)) {
      const { access, httproute, gateway } = role;
      if (access === undefined) continue;
      const path = ["roles", index, "access"];
      yield* severalCredentials(access, path);
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
  ...aPolicy,
  *check(spec) {
    for (const { index, role } of routers(spec)) {
      const { access, gateway } = role;
      if (access === undefined) continue;
      const type = poolGatewayType(gateway);
      const path = ["roles", index, "access"];
      yield* withoutPolicy(access, type, path);
      if (accessSupportOf(type)?.coversGateway && createdGateway(gateway) === undefined)
        yield coveredGateway(type, path, "Set gatewayClassName and listeners in gateway.");
    }
  },
};

const credentialsAreEncrypted: Invariant<InferenceServiceSpec> = {
  id: "credentials-are-encrypted",
  title: "The Gateway of a router with access has no listener without TLS",
  why: "A listener of protocol HTTP receives API keys and tokens in plain text.",
  source: "RFC 6750, section 5.3: TLS must be used with bearer tokens",
  code: "conflict",
  *check(spec) {
    const router = routerOf(spec);
    const listeners = createdGateway(router?.gateway)?.listeners;
    if (router?.access === undefined || !Array.isArray(listeners)) return;
    for (const [at, listener] of listeners.entries())
      if (isMap(listener) && listener.protocol === "HTTP")
        yield {
          path: ["roles", spec.roles.indexOf(router), "gateway", "listeners", at, "protocol"],
          given: "is HTTP, so clients send their credentials in plain text",
          allowed: "HTTPS",
          fix: "Set protocol HTTPS with a certificate in tls.certificateRefs. If a load balancer in front terminates TLS, ignore this warning.",
        };
  },
};

const scrapersAreNamed: Invariant<InferenceServiceSpec> = {
  id: "scrapers-are-named",
  title: "A service with access names the namespaces of its scrapers",
  why: "With access, the planned NetworkPolicy admits only the gateway's proxies and the picker to the engines. Prometheus then has no metrics of the engines.",
  source: "docs/access.md",
  code: "conflict",
  *check(spec) {
    const { enabled, scraperNamespaces } = spec.networkPolicy;
    if (routerOf(spec)?.access === undefined || !enabled || scraperNamespaces !== undefined) return;
    yield {
      path: ["networkPolicy", "scraperNamespaces"],
      given:
        "is not set, and access closes the engines to all other pods: Prometheus cannot read their metrics",
      allowed: "the namespaces of metrics scrapers",
      fix: "Set it to the namespace of Prometheus, such as monitoring.",
    };
  },
};

export const accessAdvice = [credentialsAreEncrypted, scrapersAreNamed];

export const accessRules: readonly Invariant<PartialSpec>[] = [
  accessHasOneCredential,
  gatewayHasAPolicy,
];

/** The same rules for the spec of an InferenceRoute, which creates no Gateway. */
export const routeAccessRules: readonly Invariant<RawSpec>[] = [
  {
    ...oneCredential,
    *check({ spec: { access } }) {
      if (isMap(access)) yield* severalCredentials(access, ["access"]);
    },
  },
  {
    ...aPolicy,
    *check({ spec: { access, gateway } }) {
      const written = PoolGateway.optional().safeParse(gateway);
      if (!isMap(access) || !written.success) return;
      const type = poolGatewayType(written.data);
      yield* withoutPolicy(access, type, ["access"]);
      if (accessSupportOf(type)?.coversGateway)
        yield coveredGateway(type, ["access"], "Set access on a router that creates the Gateway.");
    },
  },
];
