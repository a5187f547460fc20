import { RequestError } from "../../../scheduling/request-error.ts";
import type { RequestHeaders } from "../../../scheduling/request-headers.ts";
import type { RequestApi } from "../../../sdk/routing/api-paths.ts";
import { type JsonBody, JsonReader } from "./json-body.ts";
import { JsonPayload } from "./json-payload.ts";
import { mayBeJson } from "./json-type.ts";
import { type ParserChoice, parserOfApi, parserOfPath, readBodies } from "./parser-choice.ts";
import { type Payload, unreadPayload } from "./payload.ts";
import { requestApis } from "./request-apis.ts";
import { apisOfBody } from "./sniff.ts";

export interface PayloadInput {
  /** Undefined where the proxy does not tell it: then the body decides. */
  readonly path: string | undefined;
  readonly headers: RequestHeaders;
  readonly body: Buffer;
  /** What read the body as it came, where it did. */
  readonly reader?: JsonReader | undefined;
}

/**
 * Returns the reader of a request's body, which reads it as it arrives; undefined if no parser reads it as JSON.
 * @throws RequestError UnsupportedMediaType if the body is JSON in a content encoding: model servers do not decode
 *   requests either
 */
export function readerOf(
  { path, headers }: Pick<PayloadInput, "path" | "headers">,
  parsers: readonly string[],
): JsonReader | undefined {
  const isJson =
    path === undefined
      ? readBodies(parsers) && mayBeJson(headers.get("content-type"))
      : apiOf(parserOfPath(path, parsers), headers, parsers) !== undefined;
  if (!isJson) return undefined;
  assertNotEncoded(headers);
  return new JsonReader();
}

function assertNotEncoded(headers: RequestHeaders): void {
  const encodings = (headers.get("content-encoding") ?? "").split(",").map((name) => name.trim());
  const encoding = encodings.find((name) => name !== "" && name.toLowerCase() !== "identity");
  if (encoding === undefined) return;
  throw new RequestError(
    "UnsupportedMediaType",
    `content-encoding ${JSON.stringify(encoding)} of the request body is not accepted; accepted: identity. Send the body uncompressed`,
  );
}

/**
 * Reads a request's body by the parser that claims its path.
 * @param parsers types of the configured parsers (`parserTypes`), in order.
 * @throws RequestError BadRequest where no parser is for the request, where its body is not what the API demands, or
 *   where its model is not a string. A missing model is allowed here.
 */
export function parsePayload(input: PayloadInput, parsers: readonly string[]): Payload {
  return input.path === undefined
    ? parseByBody(input, parsers)
    : parseByPath(input, input.path, parsers);
}

/**
 * The API whose rules a body is read by; undefined if it is passed unread. JSON at a path that no parser claims is read as
 * well, so that no path goes around rewrites, registrations and the removal of engines' fields.
 */
function apiOf(
  choice: ParserChoice | undefined,
  headers: RequestHeaders,
  parsers: readonly string[],
): RequestApi | undefined {
  if (choice === undefined || choice.api !== undefined) return choice?.api;
  return readBodies(parsers) && mayBeJson(headers.get("content-type")) ? "other" : undefined;
}

function parseByPath(
  { headers, body, reader }: PayloadInput,
  path: string,
  parsers: readonly string[],
): Payload {
  const choice = parserOfPath(path, parsers);
  if (choice === undefined)
    throw new RequestError("BadRequest", `no parser registered matching path suffix for: ${path}`);
  const api = apiOf(choice, headers, parsers);
  return api === undefined
    ? unreadPayload(choice.parser, body)
    : read(choice.parser, api, (reader ?? new JsonReader()).end(body));
}

function parseByBody({ headers, body, reader }: PayloadInput, parsers: readonly string[]): Payload {
  const isRead = readBodies(parsers) && mayBeJson(headers.get("content-type"));
  const json = isRead ? (reader ?? new JsonReader()).end(body) : undefined;
  const choice = parserOfApi(json === undefined ? [] : apisOfBody(json, headers), parsers);
  if (choice === undefined)
    throw new RequestError(
      "BadRequest",
      `no parser for a request without a path whose body has no field that tells its API; configured: ${parsers.join(", ")}`,
    );
  return json === undefined || choice.api === undefined
    ? unreadPayload(choice.parser, body)
    : read(choice.parser, choice.api, json);
}

function read(parser: string, api: RequestApi, body: JsonBody): Payload {
  const { refusal, isValid } = requestApis[api];
  if (!isValid(body)) throw new RequestError("BadRequest", refusal);
  return new JsonPayload(parser, api, body);
}
