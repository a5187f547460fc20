import { RequestError } from "../../../scheduling/requests/request-error.ts";
import type { RequestHeaders } from "../../../scheduling/requests/request-headers.ts";
import type { RequestApi } from "../../../sdk/routing/api-paths.ts";
import { formBoundary, formPayload, isMultipart } from "./form-payload.ts";
import { type JsonBody, JsonReader } from "./json-body.ts";
import { JsonPayload } from "./json-payload.ts";
import { mayBeJson } from "./json-type.ts";
import { parserOfApi, parserOfPath, readBodies } from "./parser-choice.ts";
import { type Payload, unreadPayload } from "./payload.ts";
import { requestApis } from "./request-apis.ts";
import { apisOfBody } from "./sniff.ts";

export interface RequestHead {
  /** Undefined if the proxy does not send it. Then the body determines the API. */
  readonly path: string | undefined;
  readonly headers: RequestHeaders;
}

/** How a request's body is read. It is chosen once, by the path and the content type. */
export interface BodyReading {
  /** Reads the body as it arrives; undefined unless it is JSON. */
  readonly reader: JsonReader | undefined;
  /** Reason that no parser reads the body, whatever its content; undefined if a parser does. */
  readonly unread: string | undefined;
  /**
   * Reads the whole body with the parser of its path.
   * @throws RequestError BadRequest if no parser matches the request, if its body does not match the API, or if its
   *   model is not a string. A missing model is allowed here.
   */
  payload(body: Buffer): Payload;
}

/**
 * Returns how the body of a request is read.
 * @param parsers types of the configured parsers (`parserTypes`), in order.
 * @throws RequestError UnsupportedMediaType if the body is read and has a content encoding: model servers do not decode
 *   requests either
 */
export function readingOf({ path, headers }: RequestHead, parsers: readonly string[]): BodyReading {
  const reading =
    path === undefined ? readingByBody(headers, parsers) : readingByPath(path, headers, parsers);
  if (reading.reader !== undefined) assertNotEncoded(encodingOf(headers));
  return reading;
}

/** The content encoding of a body; undefined for none. */
const encodingOf = (headers: RequestHeaders): string | undefined =>
  (headers.get("content-encoding") ?? "")
    .split(",")
    .map((name) => name.trim())
    .find((name) => name !== "" && name.toLowerCase() !== "identity");

function assertNotEncoded(encoding: string | undefined): void {
  if (encoding === undefined) return;
  throw new RequestError(
    "UnsupportedMediaType",
    `content-encoding ${JSON.stringify(encoding)} of the request body is not accepted; accepted: identity. Send the body uncompressed`,
  );
}

/**
 * Reads JSON and forms also at a path that no parser claims, so that no path bypasses rewrites, registrations and the
 * removal of engine fields.
 */
function readingByPath(
  path: string,
  headers: RequestHeaders,
  parsers: readonly string[],
): BodyReading {
  const choice = parserOfPath(path, parsers);
  if (choice === undefined)
    return noReading(`no parser registered matching path suffix for: ${path}`);
  const { parser, api } = choice;
  if (api !== undefined) return jsonReading((json) => read(parser, api, json));
  return readingByType(headers, parsers, parser, (json) => read(parser, "other", json));
}

function readingByBody(headers: RequestHeaders, parsers: readonly string[]): BodyReading {
  const fallback = parserOfApi([], parsers);
  return readingByType(headers, parsers, fallback?.parser, (json) => {
    const choice = parserOfApi(apisOfBody(json, headers), parsers);
    if (choice === undefined) throw new RequestError("BadRequest", noApi(parsers));
    return read(choice.parser, choice.api ?? "other", json);
  });
}

/** @param parser parser of bodies that no other parser reads */
function readingByType(
  headers: RequestHeaders,
  parsers: readonly string[],
  parser: string | undefined,
  json: (body: JsonBody) => Payload,
): BodyReading {
  const type = headers.get("content-type");
  const isForm = isMultipart(type);
  if (readBodies(parsers) && !isForm && mayBeJson(type)) return jsonReading(json);
  if (parser === undefined) return noReading(noApi(parsers));
  const boundary = readBodies(parsers) ? formBoundary(type) : undefined;
  if (boundary === undefined || encodingOf(headers) !== undefined)
    return unreadReading(parser, unreadReasons[isForm ? "form" : "type"]);
  return {
    reader: undefined,
    unread: undefined,
    payload: (body) => formPayload(parser, body, boundary),
  };
}

const unreadReasons = {
  form: "the form is compressed, or its content-type has more than a plain boundary",
  type: "no parser reads this content-type at this path",
};

const unreadReading = (parser: string, why: string): BodyReading => ({
  reader: undefined,
  unread: why,
  payload: (body) => unreadPayload(parser, body, why),
});

function jsonReading(payload: (body: JsonBody) => Payload): BodyReading {
  const reader = new JsonReader();
  return { reader, unread: undefined, payload: (body) => payload(reader.end(body)) };
}

/** Refuses every body. */
const noReading = (message: string): BodyReading => ({
  reader: undefined,
  unread: undefined,
  payload() {
    throw new RequestError("BadRequest", message);
  },
});

const noApi = (parsers: readonly string[]) =>
  `no parser: the request has no path, and no field of its body identifies its API; configured: ${parsers.join(", ")}`;

function read(parser: string, api: RequestApi, body: JsonBody): Payload {
  const { refusal, isValid } = requestApis[api];
  if (!isValid(body)) throw new RequestError("BadRequest", refusal);
  return new JsonPayload(parser, api, body);
}
