import { isIPv6 } from "node:net";
import type { DropReason } from "../../../scheduling/requests/request-error.ts";
import type { Reach } from "../../../sdk/spec/reachable-address.ts";
import { hopsHeader } from "../../../sdk/topology/multi-cluster-names.ts";
import { readStruct, writeStruct } from "../../epp/protocol/struct.ts";
import { editMessage } from "../../epp/protocol/wire-edit.ts";
import { WireReader, wireType } from "../../epp/protocol/wire-reader.ts";
import { WireWriter } from "../../epp/protocol/wire-writer.ts";
import { controlHeader } from "../../epp/request-path/control-headers.ts";
import { limits } from "../../limits.ts";

/**
 * Filters the responses of another cluster's picker before they reach the local gateway. It keeps a destination within
 * that cluster and changes of the body. Any other header, response or destination would let that cluster control the
 * local gateway.
 */

/** Maximum size of a response, in bytes. A picker that rewrites a body sends the whole body. */
export const maxAnswerBytes = limits.remoteAnswer.value;

/** Headers that contain `ip:port`, or several separated by commas. */
const addressHeaders = new Set([
  "x-gateway-destination-endpoint",
  "x-prefiller-host-port",
  "x-encoder-hosts-ports",
  "x-data-parallel-host-port",
]);
const otherHeaders = new Set(["content-length", "x-request-id", "x-went-into-resp-headers"]);
/** Prefixes of the headers of the endpoint picker protocol and of llm-d-router. */
const prefixes = ["x-gateway-", "x-llm-d-", "x-inference-"];

const isPickHeader = (name: string): boolean =>
  addressHeaders.has(name) ||
  otherHeaders.has(name) ||
  // Another cluster's picker must not set the hop count.
  (name !== hopsHeader && prefixes.some((prefix) => name.startsWith(prefix)));

/** Header with which a picker gives the reason for a refusal, and the reason for a lack of endpoints. */
const refusalReason = controlHeader.dropReason[0];
const wantOfEndpoints: DropReason = "rejected-no-endpoints";

/** Further headers of a refusal. */
const refusalHeaders = new Set(["content-type", "retry-after"]);

/** Field numbers of envoy.service.ext_proc.v3, as in protocol/ext_proc.proto; mode_override has its upstream number. */
const answer = { trailers: [5, 6], immediate: 7, dynamicMetadata: 8, modeOverride: 9 } as const;
const common = { status: 1, headerMutation: 2, bodyMutation: 3, clearRouteCache: 5 } as const;
const immediate = { status: 1, headers: 2, body: 3, details: 5 } as const;

/**
 * Returns a response for the gateway that contains only the parts of a pick.
 *
 * @throws Error if a destination is not allowed, or if the response is not a pick
 */
export const filteredAnswer = (message: Buffer, reach: Reach): Buffer =>
  editMessage(message, (field, content) => {
    if (field === answer.immediate) return refusal(content, reach);
    if (field === answer.dynamicMetadata) return metadata(content, reach);
    if (field === answer.modeOverride) return content;
    if (field === answer.trailers[0] || field === answer.trailers[1])
      return editMessage(content, (inner, mutation) =>
        inner === 1 ? headers(mutation, isPickHeader, reach) : undefined,
      );
    if (field > answer.trailers[1]) return undefined;
    return editMessage(content, (inner, response) =>
      inner === 1 ? commonResponse(response, reach) : undefined,
    );
  });

/** Whether a response refuses its request because the picker has no endpoints, so that another cluster may serve it. */
export function refusesForWantOfEndpoints(message: Buffer): boolean {
  let isSo = false;
  editMessage(message, (field, content) => {
    if (field === answer.immediate)
      editMessage(content, (inner, headers) => {
        isSo ||=
          inner === immediate.headers &&
          headers.includes(refusalReason) &&
          headers.includes(wantOfEndpoints);
        return headers;
      });
    return content;
  });
  return isSo;
}

const commonResponse = (message: Buffer, reach: Reach): Buffer =>
  editMessage(message, (field, content) => {
    if (field === common.headerMutation) return headers(content, isPickHeader, reach);
    const isKept =
      field === common.status || field === common.bodyMutation || field === common.clearRouteCache;
    return isKept ? content : undefined;
  });

/** Filters an immediate response, which must be an error (4xx or 5xx). */
function refusal(message: Buffer, reach: Reach): Buffer {
  let code = 0;
  const filtered = editMessage(message, (field, content) => {
    if (field === immediate.status) code = statusCode(content);
    if (field === immediate.headers)
      return headers(content, (name) => isPickHeader(name) || refusalHeaders.has(name), reach);
    const isKept =
      field === immediate.status || field === immediate.body || field === immediate.details;
    return isKept ? content : undefined;
  });
  if (code < 400 || code > 599)
    throw new Error(`it sent a response instead of an endpoint, with status ${code}`);
  return filtered;
}

function statusCode(message: Buffer): number {
  let code = 0;
  const reader = new WireReader(message);
  while (reader.more) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | wireType.varint)) code = reader.varint();
    else reader.skip(tag);
  }
  return code;
}

const headers = (message: Buffer, isTaken: (name: string) => boolean, reach: Reach): Buffer =>
  editMessage(message, (field, content) => {
    if (field === 1) return isTakenHeader(content, isTaken, reach) ? content : undefined;
    const isRemoval = field === 2 && isTaken(content.toString("utf8").toLowerCase());
    return isRemoval ? content : undefined;
  });

/**
 * Checks a HeaderValueOption. A header that is split into several fields is dropped, because parsers merge the fields.
 */
function isTakenHeader(option: Buffer, isTaken: (name: string) => boolean, reach: Reach): boolean {
  const values: Buffer[] = [];
  editMessage(option, (field, content) => {
    if (field === 1) values.push(content);
    return content;
  });
  if (values.length !== 1) return false;
  let name = "";
  const texts: string[] = [];
  editMessage(values[0] as Buffer, (field, content) => {
    if (field === 1) name = content.toString("utf8").toLowerCase();
    else texts.push(content.toString("utf8"));
    return content;
  });
  if (!isTaken(name)) return false;
  if (addressHeaders.has(name)) for (const text of texts) checkAddresses(name, text, reach);
  return true;
}

function checkAddresses(header: string, text: string, reach: Reach): void {
  for (const address of text.split(",").map((each) => each.trim())) {
    if (address === "") continue;
    const [, host = ""] =
      /^\[([0-9a-fA-F:.]+)\]:\d{1,5}$/.exec(address) ?? /^([0-9.]+):\d{1,5}$/.exec(address) ?? [];
    const problem = reach(host === "" && isIPv6(address) ? address : host);
    if (problem === undefined) continue;
    throw new Error(
      `it names ${JSON.stringify(address.slice(0, 100))} in ${header}, which ${problem}`,
    );
  }
}

const loadBalancer = "envoy.lb";
const destination = "x-gateway-destination-endpoint";

/** Keeps the copy of the destination that Envoy's load balancer reads from the metadata. */
function metadata(message: Buffer, reach: Reach): Buffer | undefined {
  const balancer = readStruct(new WireReader(message))[loadBalancer];
  if (balancer === null || typeof balancer !== "object" || Array.isArray(balancer))
    return undefined;
  const address = balancer[destination];
  if (typeof address !== "string") return undefined;
  checkAddresses(destination, address, reach);
  const writer = new WireWriter(256);
  writeStruct(writer, { [loadBalancer]: { [destination]: address } });
  return writer.finish();
}
