import type { Endpoint } from "../../../scheduling/endpoints/endpoint.ts";
import { RequestError } from "../../../scheduling/requests/request-error.ts";
import type { RequestHeaders } from "../../../scheduling/requests/request-headers.ts";
import type { Struct, StructValue } from "../protocol/struct.ts";
import { controlHeader, firstHeader } from "./control-headers.ts";

/** The metadata in which a proxy names the endpoints that it can reach (protocol, "Endpoint Subset"). */
const subsetHint = {
  namespace: "envoy.lb.subset_hint",
  key: "x-gateway-destination-endpoint-subset",
} as const;

export interface CandidateOptions {
  /** False with `--disable-endpoint-subset-filter`. */
  readonly subsetFilter: boolean;
  /** Obey the conformance suite's header. */
  readonly conformanceHeaders: boolean;
}

/**
 * Returns the endpoints to which a request may be sent: all, or the endpoints of the proxy's subset hint.
 * @throws RequestError ServiceUnavailable if none is left.
 */
export function candidates(
  endpoints: readonly Endpoint[],
  headers: RequestHeaders,
  metadata: ReadonlyMap<string, Struct>,
  { subsetFilter, conformanceHeaders }: CandidateOptions,
): readonly Endpoint[] {
  let left = endpoints;
  const hint = subsetFilter ? metadata.get(subsetHint.namespace)?.[subsetHint.key] : undefined;
  if (hint !== undefined) left = within(left, addressesOf(hint));
  const selection = conformanceHeaders
    ? firstHeader(headers, controlHeader.conformanceSelection)
    : undefined;
  if (selection !== undefined) left = inOrderOf(left, addressesOf(selection));
  if (left.length > 0) return left;
  throw new RequestError(
    "ServiceUnavailable",
    "failed to find endpoint candidates for serving the request",
    { reason: "rejected-no-endpoints" },
  );
}

/** Returns the addresses in a list of strings or in one string with commas; none for any other value. */
function addressesOf(hint: StructValue): string[] {
  const parts = Array.isArray(hint) ? hint : [hint];
  return parts
    .filter((part) => typeof part === "string")
    .flatMap((part) => part.split(","))
    .map((address) => address.trim())
    .filter((address) => address !== "");
}

/**
 * Whether an address matches an endpoint: `ip:port` matches one endpoint, and an address without a port all its ports.
 */
const isAt = (address: string, endpoint: Endpoint) =>
  address === endpoint.address || address === endpoint.ip || address === `[${endpoint.ip}]`;

function within(endpoints: readonly Endpoint[], addresses: readonly string[]): Endpoint[] {
  const named = new Set(addresses);
  return endpoints.filter(
    ({ address, ip }) => named.has(address) || named.has(ip) || named.has(`[${ip}]`),
  );
}

/** Returns the first endpoint of each address, each IP once, in the order of the addresses. */
function inOrderOf(endpoints: readonly Endpoint[], addresses: readonly string[]): Endpoint[] {
  const chosen = new Map<string, Endpoint>();
  for (const address of addresses) {
    const endpoint = endpoints.find((candidate) => isAt(address, candidate));
    if (endpoint !== undefined && !chosen.has(endpoint.ip)) chosen.set(endpoint.ip, endpoint);
  }
  return [...chosen.values()];
}
