/**
 * Base URLs of OpenAI's API at which clients reach a service, derived from its HTTPRoute and the Gateway that serves
 * it. Pure functions. The Gateway and the route may be planned objects or read from a cluster. Unused fields are not
 * declared, so that objects of a newer Gateway API are accepted.
 */

import type { ParentRef } from "../../kubernetes/kinds/gateway-references.ts";

/** The fields of a Gateway that determine the URLs. */
export interface ServedGateway {
  readonly metadata?: { readonly name?: string };
  readonly spec: { readonly listeners?: readonly ServedListener[] };
  /** Addresses are undefined or empty until the controller assigns one. */
  readonly status?:
    | { readonly addresses?: ReadonlyArray<{ readonly type?: string; readonly value?: string }> }
    | undefined;
}

interface ServedListener {
  readonly name: string;
  readonly port: number;
  readonly protocol: string;
  readonly hostname?: string | undefined;
}

/** The fields of an HTTPRoute that determine the URLs. */
export interface ServedRoute {
  readonly spec: {
    readonly parentRefs?: readonly ParentRef[];
    readonly hostnames?: readonly string[];
    readonly rules?: readonly Rule[];
  };
}

interface Rule {
  readonly matches?: readonly Match[];
  readonly filters?: ReadonlyArray<{
    readonly type: string;
    readonly urlRewrite?: { readonly path?: PathRewrite };
  }>;
}

interface Match {
  readonly path?: { readonly type?: string; readonly value?: string };
  readonly headers?: ReadonlyArray<{
    readonly type?: string;
    readonly name: string;
    readonly value: string;
  }>;
  readonly queryParams?: readonly unknown[];
  readonly method?: string;
}

interface PathRewrite {
  readonly replaceFullPath?: string;
  readonly replacePrefixMatch?: string;
}

/** One base URL of a service. */
export interface ChatUrl {
  /** Base URL for OpenAI clients, without a trailing slash: `http://203.0.113.7/v1`. */
  readonly url: string;
  /** Address of the gateway in URL notation. Differs from the host of `url` if the route has a hostname. */
  readonly address: string;
  readonly port: number;
  readonly tls: boolean;
  /** Headers that the route requires. */
  readonly headers: Readonly<Record<string, string>>;
}

const chat = "/v1/chat/completions";
const base = "/v1";

/**
 * Returns all base URLs of a service's chat API. URLs that need no header come first, then the order is by listener,
 * host name and rule. Empty if the Gateway has no address.
 *
 * Rules that match by a regular expression, a query parameter or a method other than POST are left out, because no base
 * URL can satisfy them. Rules that do not send `/v1/chat/completions` to the pool are left out too.
 */
export function chatUrls({ spec }: ServedRoute, gateway: ServedGateway): ChatUrl[] {
  const address = addressOf(gateway);
  if (address === undefined) return [];
  const { hostnames, rules = [{}] } = spec;
  const entries = rules.flatMap(entriesOf);
  const urls = listenersFor(spec, gateway).flatMap(({ protocol, port, hostname }) =>
    hostsOf(hostnames, hostname).flatMap((host) =>
      entries.map(({ path, headers }): ChatUrl => {
        const tls = protocol === "HTTPS";
        const origin = new URL(`${tls ? "https" : "http"}://${host ?? address}:${port}`).origin;
        return { url: origin + path, address, port, tls, headers };
      }),
    ),
  );
  const needs = ({ headers }: ChatUrl) => Object.keys(headers).length;
  return urls.sort((a, b) => needs(a) - needs(b));
}

/** Returns the first IP address or host name of a Gateway, in URL notation. Undefined if there is none yet. */
export function addressOf({ status }: ServedGateway): string | undefined {
  const dialled = status?.addresses?.find(
    ({ type = "IPAddress", value = "" }) =>
      value !== "" && ["IPAddress", "Hostname"].includes(type),
  );
  const value = dialled?.value;
  return value?.includes(":") ? `[${value}]` : value;
}

function listenersFor(
  { parentRefs = [] }: ServedRoute["spec"],
  { metadata, spec }: ServedGateway,
): ServedListener[] {
  const refs = parentRefs.filter(({ name }) => name === metadata?.name);
  const chosen = ({ name, port }: ServedListener) =>
    parentRefs.length === 0 ||
    refs.some((ref) => (ref.sectionName ?? name) === name && (ref.port ?? port) === port);
  return (spec.listeners ?? []).filter(
    (listener) => ["HTTP", "HTTPS"].includes(listener.protocol) && chosen(listener),
  );
}

/**
 * Returns the host names under which a listener serves the route; undefined is any host. Empty if they have no host
 * name in common.
 */
function hostsOf(
  routed: readonly string[] | undefined,
  listener: string | undefined,
): Array<string | undefined> {
  if (routed === undefined || routed.length === 0)
    return [listener ? concrete(listener) : undefined];
  if (listener === undefined || listener === "") return routed.map(concrete);
  return routed.flatMap((host) => {
    if (fits(host, listener)) return [concrete(host)];
    return fits(listener, host) ? [concrete(listener)] : [];
  });
}

const fits = (host: string, pattern: string) =>
  host === pattern || (pattern.startsWith("*.") && host.endsWith(pattern.slice(1)));

/** Any host name that matches the wildcard works. */
const concrete = (host: string) => host.replace(/^\*\./, "any.");

interface Entry {
  /** Path of the base URL. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

function entriesOf({ matches = [{}], filters = [] }: Rule): Entry[] {
  if (filters.some(({ type }) => type === "RequestRedirect")) return [];
  const rewrite = filters.find(({ urlRewrite }) => urlRewrite?.path)?.urlRewrite?.path;
  return matches.flatMap(({ path = {}, headers = [], queryParams = [], method = "POST" }) => {
    const exact = headers.every(({ type = "Exact" }) => type === "Exact");
    const basePath = basePathOf(path, rewrite);
    if (!exact || queryParams.length > 0 || method !== "POST" || basePath === undefined) return [];
    const needed = headers.map(({ name, value }) => [name, value] as const);
    return [{ path: basePath, headers: Object.fromEntries(needed) }];
  });
}

/**
 * Returns the path to which a client appends `/chat/completions`, so that the pool receives `/v1/chat/completions`.
 * Undefined if there is none.
 */
function basePathOf(
  { type = "PathPrefix", value = "/" }: NonNullable<Match["path"]>,
  rewrite: PathRewrite | undefined,
): string | undefined {
  if (type === "RegularExpression") return undefined;
  const suffix = chat.slice(base.length);
  if (type === "Exact" || rewrite?.replaceFullPath !== undefined) {
    const handed = rewrite?.replaceFullPath ?? value;
    return handed === chat && value.endsWith(suffix) ? value.slice(0, -suffix.length) : undefined;
  }
  const prefix = value.replace(/\/$/, "");
  const handed = (rewrite?.replacePrefixMatch ?? prefix).replace(/\/$/, "");
  if (handed !== "" && chat !== handed && !chat.startsWith(`${handed}/`)) return undefined;
  const path = prefix + chat.slice(handed.length);
  return path.endsWith(suffix) ? path.slice(0, -suffix.length) : undefined;
}
