import { type RequestError, refusals } from "../../../scheduling/requests/request-error.ts";
import { immediateResponse } from "../protocol/processing-response.ts";
import { controlHeader } from "../request-path/control-headers.ts";

/** The message with which the proxy answers the client instead of a server. */
export function refusalAnswer({
  status,
  body,
  reason,
  retryAfter,
  contentType,
}: RequestError): Buffer {
  const set = [
    ...(reason === undefined ? [] : [[controlHeader.dropReason[0], reason] as const]),
    ...(retryAfter === undefined ? [] : [["retry-after", String(retryAfter)] as const]),
    // RFC 9110, 15.5.16: lists the accepted encodings.
    ...(status === refusals.UnsupportedMediaType ? [["accept-encoding", "identity"] as const] : []),
    ...(contentType === undefined ? [] : [["content-type", contentType] as const]),
  ];
  return immediateResponse({ status, body, set });
}
