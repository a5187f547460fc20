/**
 * Returns the Authorization header for a registry's challenge: a token from the service in the challenge, or the
 * credentials themselves.
 *
 * @param credentials Base64 of `user:password`; undefined for an anonymous token
 */
export async function authorizationFor(
  challenge: string,
  credentials: string | undefined,
  scope?: string,
): Promise<string> {
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
  const url = new URL(realm);
  const service = fields.get("service");
  if (service !== undefined) url.searchParams.set("service", service);
  const asked = scope ?? fields.get("scope");
  if (asked !== undefined) url.searchParams.set("scope", asked);
  const response = await fetch(url, {
    headers: basic === undefined ? {} : { authorization: basic },
    signal: AbortSignal.timeout(30_000),
  });
  if (!response.ok) throw new Error(`${url.origin} answered ${response.status} for a token`);
  const { token, access_token } = (await response.json()) as Record<string, string | undefined>;
  const found = token ?? access_token;
  if (found === undefined) throw new Error(`${url.origin} sent no token`);
  return `Bearer ${found}`;
}
