import { RequestError } from "../request-error.ts";
import { type JsonBody, kindOf, stringOf } from "./json-body.ts";
import type { ByteSpan, Payload } from "./payload.ts";
import { type RequestApi, requestApis } from "./request-apis.ts";

/** A request whose body is read as JSON. Prompts and spans are made when they are first asked for. */
export class JsonPayload implements Payload {
  readonly parser: string;
  readonly body: Buffer;
  readonly model: string | undefined;
  readonly streaming: boolean;
  readonly cacheSalt: string;
  readonly #api: RequestApi;
  readonly #json: JsonBody;
  #modelSpans: readonly ByteSpan[] | undefined;
  #prompts: readonly string[] | undefined;

  /** @throws RequestError BadRequest where the model is not a string; a missing one is no error. */
  constructor(parser: string, api: RequestApi, json: JsonBody) {
    const { fields, bytes } = json;
    this.parser = parser;
    this.body = bytes;
    this.model = modelOf(fields.model);
    this.streaming = fields.stream === true;
    this.cacheSalt = stringOf(fields.cache_salt);
    this.#api = api;
    this.#json = json;
  }

  get modelSpans(): readonly ByteSpan[] {
    this.#modelSpans ??= modelSpans(this.#json);
    return this.#modelSpans;
  }

  get prompts(): readonly string[] {
    this.#prompts ??= requestApis[this.#api].prompts(this.#json);
    return this.#prompts;
  }
}

function modelOf(model: unknown): string | undefined {
  if (model === undefined || model === null) return undefined;
  if (typeof model === "string") return model;
  throw new RequestError(
    "BadRequest",
    `model not found in request body: model must be a string, got ${kindOf(model)}`,
  );
}

function modelSpans({ bytes, members }: JsonBody): readonly ByteSpan[] {
  const spans: ByteSpan[] = [];
  for (const { key, start, end } of members) if (key === "model") spans.push({ start, end });
  if (spans.length > 0) return spans;
  const start = bytes.indexOf("{") + 1;
  return [{ start, end: start }];
}
