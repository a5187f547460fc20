import { hopsHeader } from "../../../sdk/topology/multi-cluster-names.ts";
import { readProcessingRequest } from "../../epp/protocol/processing-request.ts";

/** How often a request was sent on by pickers of imports: requests that go round clusters end by it. */

/** A value that is none counts as more than any limit, so that nobody gets further by it. */
export const unreadableHops = Number.MAX_SAFE_INTEGER;

export function hopsOfValue(value: string | readonly string[] | undefined): number {
  if (value === undefined) return 0;
  return typeof value === "string" && /^\d{1,6}$/.test(value) ? Number(value) : unreadableHops;
}

/** The hops that the headers of a request say, of the first message of its stream. */
export function hopsOfRequest(message: Buffer): number {
  // Few requests have the header: the others are not read for it.
  if (!message.includes(hopsHeader)) return 0;
  const { kind, headers } = readProcessingRequest(message);
  return kind === "requestHeaders" ? hopsOfValue(headers.get(hopsHeader)) : 0;
}

/** Length of the prefix of a gRPC message (gRPC over HTTP/2, "Length-Prefixed-Message"). */
const prefixBytes = 5;

/** The first message of a gRPC stream, once all of it is there. */
export function firstMessage(bytes: Buffer): Buffer | undefined {
  if (bytes.length < prefixBytes) return undefined;
  const end = prefixBytes + bytes.readUInt32BE(1);
  return bytes.length < end ? undefined : bytes.subarray(prefixBytes, end);
}
