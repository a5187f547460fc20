import { RequestError } from "../request-error.ts";
import type { RequestHeaders } from "../request-headers.ts";
import { JsonBody } from "./json-body.ts";
import { JsonPayload } from "./json-payload.ts";
import { parserOfApi, parserOfPath } from "./parser-types.ts";
import type { Payload } from "./payload.ts";
import { type RequestApi, requestApis } from "./request-apis.ts";
import { apisOfBody } from "./sniff.ts";

export interface PayloadInput {
  /** Undefined where the proxy does not tell it: then the body decides. */
  readonly path: string | undefined;
  readonly headers: RequestHeaders;
  readonly body: Buffer;
}

/**
 * Reads a request's body by the parser that claims its path.
 * @param parsers types of the configured parsers (`parserTypes`), in order.
 * @throws RequestError BadRequest where no parser is for the request, where its body is not what the API demands, or
 *   where its model is not a string. A model that is missing is no error here.
 */
export function parsePayload(input: PayloadInput, parsers: readonly string[]): Payload {
  return input.path === undefined
    ? parseByBody(input, parsers)
    : parseByPath(input, input.path, parsers);
}

function parseByPath({ body }: PayloadInput, path: string, parsers: readonly string[]): Payload {
  const choice = parserOfPath(path, parsers);
  if (choice === undefined)
    throw new RequestError("BadRequest", `no parser registered matching path suffix for: ${path}`);
  return choice.api === undefined
    ? unread(choice.parser, body)
    : read(choice.parser, choice.api, new JsonBody(body));
}

function parseByBody({ headers, body }: PayloadInput, parsers: readonly string[]): Payload {
  const json = mayBeJson(headers) ? new JsonBody(body) : undefined;
  const choice = parserOfApi(json === undefined ? [] : apisOfBody(json.fields, headers), parsers);
  if (choice === undefined)
    throw new RequestError(
      "BadRequest",
      `no parser for a request without a path whose body has no field that tells its API; configured: ${parsers.join(", ")}`,
    );
  return json === undefined || choice.api === undefined
    ? unread(choice.parser, body)
    : read(choice.parser, choice.api, json);
}

/** Uploads of sound and files say what they are; a body that says nothing is taken for JSON. */
function mayBeJson(headers: RequestHeaders): boolean {
  const type = headers.get("content-type");
  return type === undefined || /json/i.test(type);
}

const unread = (parser: string, body: Buffer): Payload => ({
  parser,
  body,
  model: undefined,
  modelSpans: undefined,
  streaming: false,
  prompts: [],
  cacheSalt: "",
});

function read(parser: string, api: RequestApi, body: JsonBody): Payload {
  const { refusal, isValid } = requestApis[api];
  if (!isValid(body.fields)) throw new RequestError("BadRequest", refusal);
  return new JsonPayload(parser, api, body);
}
