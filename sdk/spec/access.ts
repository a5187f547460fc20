import { z } from "zod";
import { nonEmptyText, objectName } from "../../kubernetes/kinds/field-types.ts";
import { named, output } from "../schemas/argument.ts";

/** Header that names the tenant of a request if a router with `access` sets no `tenantHeader`. It is llm-d's name. */
export const defaultTenantHeader = "x-llm-d-inference-fairness-id";

/** Header with the issuer of a token, by which the picker distinguishes tenants if there are several issuers. */
export const tenantIssuerHeader = "x-pulumi-inference-tenant-issuer";

const url = z
  .string()
  .max(2048)
  .regex(/^https:\/\/[^/?#@\s]+(\/[^?#\s]*)?$/, "an https URL");

const ApiKeys = named(
  "ApiKeyAccess",
  z.strictObject({
    secret: output(objectName).describe(
      "Name of a Secret in the service's namespace. Each of its keys is the name of a tenant, and the value is the API key of this tenant.",
    ),
  }),
).describe("API keys, which clients send as `Authorization: Bearer KEY`.");

const JwtIssuer = named(
  "JwtIssuer",
  z.strictObject({
    issuer: z
      .string()
      .max(256)
      .regex(/^\S+$/, "an issuer without spaces")
      .describe("Issuer of tokens: their claim `iss`."),
    audiences: z
      .array(nonEmptyText)
      .min(1)
      .max(32)
      .describe(
        "Audiences, one of which a token must have in its claim `aud`: 1 to 32. Issuers also sign tokens for other programs.",
      ),
    jwksUrl: url.describe("URL of the issuer's public keys (JWKS): https."),
  }),
).describe("Issuer of JSON Web Tokens.");

const Jwt = named(
  "JwtAccess",
  z.strictObject({
    issuers: z.array(JwtIssuer).min(1).max(16).describe("Accepted issuers: 1 to 16."),
    tenantClaim: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "the name of a claim")
      .max(64)
      .default("sub")
      .describe(
        "Claim with the tenant of a request. With several issuers, equal claims of two issuers are two tenants.",
      ),
  }),
).describe("JSON Web Tokens, which clients send as `Authorization: Bearer TOKEN`.");

const Fields = z.strictObject({
  apiKeys: ApiKeys.optional().describe("Clients with an API key. Default: none."),
  jwt: Jwt.optional().describe("Clients with a token of an issuer. Default: none."),
});

export const Access = named(
  "RouterAccess",
  Fields.refine((access) => Object.values(access).some(Boolean), "apiKeys or jwt"),
).describe("Clients that may send requests: clients with an API key, or clients with a token.");

export const credentials = Fields.keyof().options;
