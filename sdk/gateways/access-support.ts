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
          readonly audiences?: readonly string[] | undefined;
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
  /** Text about these objects, for docs/access.md. */
  readonly planned: string;
  /** The documentation of these facts. */
  readonly source: string;
}

/** The properties of a route that policies need. */
export interface RestrictedRoute {
  readonly access: Access;
  /** Name of the HTTPRoute. */
  readonly route: string;
  /** Name of the Gateway that the plan creates. */
  readonly gateway: string | undefined;
  readonly tenantHeader: string;
  /** Metadata of the policies. */
  readonly metadata: ObjectMeta;
}
