import { z } from "zod";
import { parseJson } from "./content.ts";
import { isLoopback } from "./origin.ts";
import { readBytes } from "./response-bytes.ts";

/** Servers on other hosts than their registry that issue its tokens: their vendors' documentation. */
const knownRealms: Readonly<Record<string, string>> = {
  "https://registry-1.docker.io": "auth.docker.io",
  "https://registry.gitlab.com": "gitlab.com",
};

/** A request for access to a registry. */
export interface Login {
  /** URL of the registry's API. */
  readonly origin: string;
  /** Base64 of `user:password`; undefined for an anonymous token. */
  readonly credentials: string | undefined;
  /** Default: the scope in the challenge. */
  readonly scope?: string;
  /** Hosts that may issue tokens, in addition to the registry and the known ones. */
  readonly realms?: readonly string[];
  /** Is called with the host of another realm before the credentials are sent to it. */
  readonly onRealm?: (host: string) => void;
}

const tokens = z.object({ token: z.string().optional(), access_token: z.string().optional() });
const maxTokenBytes = 1024 * 1024;

/**
 * Returns the Authorization header for a registry's challenge: a token from the service in the challenge, or the
 * credentials themselves.
 *
 * @throws Error if the challenge names a realm that must not get the credentials
 */
export async function authorizationFor(challenge: string, login: Login): Promise<string> {
  const { credentials, scope } = login;
  const basic = credentials === undefined ? undefined : `Basic ${credentials}`;
  if (/^basic\b/i.test(challenge) && basic !== undefined) return basic;
  const fields = new Map(
    [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = "", value = ""]) => [key, value]),
  );
  const realm = fields.get("realm");
  if (!/^bearer /i.test(challenge) || realm === undefined)
    throw new Error(
      `needs a login (${challenge || "no challenge"}); run docker login, which writes ~/.docker/config.json`,
    );
  const url = trustedRealm(realm, login);
  const service = fields.get("service");
  if (service !== undefined) url.searchParams.set("service", service);
  const asked = scope ?? fields.get("scope");
  if (asked !== undefined) url.searchParams.set("scope", asked);
  const response = await fetch(url, {
    headers: basic === undefined ? {} : { authorization: basic },
    redirect: "error",
    signal: AbortSignal.timeout(30_000),
  });
  if (!response.ok) throw new Error(`${url.origin} answered ${response.status} for a token`);
  const bytes = await readBytes(response, maxTokenBytes);
  const { token, access_token } = parseJson(tokens, bytes, `the token of ${url.origin}`);
  const found = token ?? access_token;
  if (found === undefined) throw new Error(`${url.origin} sent no token`);
  return `Bearer ${found}`;
}

/**
 * Returns the URL of a realm if a token request may be sent to it, with the credentials or anonymously; throws
 * otherwise.
 */
function trustedRealm(realm: string, { origin, credentials, realms = [], onRealm }: Login): URL {
  const url = URL.parse(realm);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new Error(`names ${JSON.stringify(realm)} as realm, which is not a URL`);
  const registry = new URL(origin);
  const isOwn = url.hostname === registry.hostname;
  // A registry that the user calls without TLS may issue its tokens without TLS.
  const isPlainAllowed = registry.protocol === "http:" && (isOwn || isLoopback(url.hostname));
  if (url.protocol === "http:" && !isPlainAllowed)
    throw new Error(`names the realm ${url.origin}, which has no TLS; allowed: https`);
  const isKnown = isOwn || knownRealms[origin] === url.host || realms.includes(url.host);
  if (!isKnown)
    throw new Error(
      `names the realm ${url.host}, which is another host. Add --realm ${url.host} if it may get the login of ${registry.host}.`,
    );
  if (!isOwn && credentials !== undefined) onRealm?.(url.host);
  return url;
}
