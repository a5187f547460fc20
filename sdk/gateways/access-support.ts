import type { Manifest, ObjectMeta } from "../../kubernetes/values/manifest.ts";

/** Kinds of credentials. */
export type Credential = "apiKeys" | "jwt";

/** Credentials of the clients of a route. One of them is set. */
export interface Access {
  readonly apiKeys?: { readonly secret: string } | undefined;
  readonly jwt?:
    | {
        readonly issuers: ReadonlyArray<{
          readonly issuer: string;
          readonly audiences: readonly string[];
          readonly jwksUrl: string;
        }>;
        readonly tenantClaim: string;
      }
    | undefined;
}

/** How a gateway restricts the clients of a route, and names the tenant of each request in a header. */
export interface AccessSupport {
  /** Credentials for which it has a policy. */
  readonly credentials: readonly Credential[];
  /** Whether its policy covers all routes of a Gateway, so that the plan must create the Gateway. Default false. */
  readonly coversGateway?: true;
  /** Returns the policies. */
  objects(route: RestrictedRoute): readonly Manifest[];
  /**
   * Labels that its proxies have, and namespaces that may contain its proxies in addition to the namespace of the
   * Gateway.
   */
  readonly proxies: { readonly podSelector: object; readonly namespaces: readonly string[] };
  /** Text about these objects, for docs/access.md. */
  readonly planned: string;
  /** The documentation of these facts. */
  readonly source: string;
}

/** Selects the proxies of gateways that label them as Gateway API proposes (GEP-1762). */
export const labelledByGateway = {
  matchExpressions: [{ key: "gateway.networking.k8s.io/gateway-name", operator: "Exists" }],
} as const;

/** Returns the headers that a gateway sets from claims of a token. */
export const claimHeaders = ({ access, tenantHeader, issuerHeader }: RestrictedRoute) => [
  ...(issuerHeader === undefined ? [] : [{ header: issuerHeader, claim: "iss" }]),
  { header: tenantHeader, claim: access.jwt?.tenantClaim ?? "sub" },
];

/** The properties of a route that policies need. */
export interface RestrictedRoute {
  readonly access: Access;
  /** Name of the HTTPRoute. */
  readonly route: string;
  /** Name of the Gateway that the plan creates. */
  readonly gateway: string | undefined;
  readonly tenantHeader: string;
  /** Header for the issuer of a token; undefined unless there are several. */
  readonly issuerHeader: string | undefined;
  /** Metadata of the policies. */
  readonly metadata: ObjectMeta;
}
