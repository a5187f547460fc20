import { hopsHeader } from "../../../sdk/topology/multi-cluster-names.ts";
import { readProcessingRequest } from "../../epp/protocol/processing-request.ts";

/** Hop counts: how often pickers of imports have forwarded a request. They stop requests that loop between clusters. */

/** An invalid value counts as more than any limit, so that a client gains nothing from it. */
export const unreadableHops = Number.MAX_SAFE_INTEGER;

export function hopsOfValue(value: string | readonly string[] | undefined): number {
  if (value === undefined) return 0;
  return typeof value === "string" && /^\d{1,6}$/.test(value) ? Number(value) : unreadableHops;
}

/** Returns the hop count in the request headers, which are the first message of a stream. */
export function hopsOfRequest(message: Buffer): number {
  // Few requests have the header, so messages without it are not parsed.
  if (!message.includes(hopsHeader)) return 0;
  const { kind, headers } = readProcessingRequest(message);
  return kind === "requestHeaders" ? hopsOfValue(headers.get(hopsHeader)) : 0;
}

/** Length of the prefix of a gRPC message (gRPC over HTTP/2, "Length-Prefixed-Message"). */
const prefixBytes = 5;

/** Returns the first message of a gRPC stream; undefined until it is complete. */
export function firstMessage(bytes: Buffer): Buffer | undefined {
  if (bytes.length < prefixBytes) return undefined;
  const end = prefixBytes + bytes.readUInt32BE(1);
  return bytes.length < end ? undefined : bytes.subarray(prefixBytes, end);
}
