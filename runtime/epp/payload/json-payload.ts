import { createHash } from "node:crypto";
import { RequestError } from "../../../scheduling/requests/request-error.ts";
import { bytesPerToken } from "../../../scheduling/requests/text-tokens.ts";
import type { RequestApi } from "../../../sdk/routing/api-paths.ts";
import { limits } from "../../limits.ts";
import type { ByteSpan } from "./byte-span.ts";
import { hasMedia } from "./chat-prompt.ts";
import type { EngineField } from "./engine-fields.ts";
import type { Prompts } from "./input-prompts.ts";
import { isObject, type JsonBody, kindOf, stringOf } from "./json-body.ts";
import { assertModelName, modelNameTooLong } from "./model-name.ts";
import type { KeptState, Payload } from "./payload.ts";
import { requestApis } from "./request-apis.ts";
import { type TokenInput, tokenInputOf } from "./token-input.ts";

/** A request whose body is read as JSON. Prompts and spans are computed on first use. */
export class JsonPayload implements Payload {
  readonly parser: string;
  readonly body: Buffer;
  readonly model: string | undefined;
  readonly streaming: boolean;
  readonly cacheSalt: string;
  readonly #api: RequestApi;
  readonly #json: JsonBody;
  #modelSpans: readonly ByteSpan[] | undefined;
  #prompts: Prompts | undefined;

  /**
   * @throws RequestError BadRequest if the model is not a string, is too long or occurs twice. A missing model is
   *   allowed.
   */
  constructor(parser: string, api: RequestApi, json: JsonBody) {
    this.parser = parser;
    this.body = json.bytes;
    this.model = modelOf(json);
    this.streaming = json.isTrue("stream");
    this.cacheSalt = saltOf(json);
    this.#api = api;
    this.#json = json;
  }

  get modelSpans(): readonly ByteSpan[] {
    this.#modelSpans ??= modelSpans(this.#json);
    return this.#modelSpans;
  }

  get engineFields(): readonly EngineField[] {
    return this.#json.engineFields;
  }

  get tokenInput(): TokenInput | undefined {
    return tokenInputOf(this.#api, this.#json);
  }

  /** A conversation has no model, unlike the requests that continue it. Requests of other APIs may have no model. */
  get needsModel(): boolean {
    return this.#api !== "conversations" && this.#api !== "other";
  }

  get conversationSpan(): ByteSpan | undefined {
    return this.#json.member("conversation");
  }

  get continues(): KeptState | undefined {
    return this.#api === "responses" ? continuedBy(this.#json) : undefined;
  }

  /** Undefined for a response if the client chose its id, because the client knows no other id. */
  get keeps(): KeptState["kind"] | undefined {
    if (this.#api === "conversations") return "conversation";
    if (this.#api !== "responses" || this.#json.has("request_id")) return undefined;
    return this.#json.value("store") === false ? undefined : "response";
  }

  get hasMedia(): boolean {
    return this.#api === "chat" && hasMedia(this.#json);
  }

  get prompts(): readonly string[] {
    return this.#read().texts;
  }

  get tokensBeyond(): number {
    return this.#read().tokensBeyond + Math.ceil(this.#json.bytesLeftOut / bytesPerToken);
  }

  #read(): Prompts {
    this.#prompts ??= requestApis[this.#api].prompts(this.#json);
    return this.#prompts;
  }
}

/**
 * Returns the model that a body names; undefined if it names none. Two models are refused, since servers differ in
 * which one they read: a server that reads the first would serve a model that the pool never checked.
 * @throws RequestError BadRequest for two models, or for one that is not a string or is too long
 */
export function modelOf(json: JsonBody): string | undefined {
  let models = 0;
  for (const { name } of json.members) if (name === "model") models += 1;
  if (models > 1)
    throw new RequestError(
      "BadRequest",
      `the request body has ${models} members named model; send one`,
    );
  const member = json.member("model");
  // An escape has at most six bytes per character, so a longer value is refused without being decoded.
  const longest = 6 * limits.modelName.value + 2;
  if (member !== undefined && json.bytes[member.start] === quote)
    if (member.end - member.start > longest) throw modelNameTooLong();
  const model = json.value("model");
  if (model === undefined || model === null) return undefined;
  if (typeof model === "string") {
    assertModelName(model);
    return model;
  }
  throw new RequestError(
    "BadRequest",
    `model not found in request body: model must be a string, got ${kindOf(model)}`,
  );
}

const quote = 0x22;

/**
 * A salt is mixed into the hash of every prompt. A long salt is hashed and not decoded, since a client may send
 * megabytes.
 */
function saltOf(json: JsonBody): string {
  const member = json.member("cache_salt");
  if (member === undefined || json.bytes[member.start] !== quote) return "";
  const length = member.end - member.start;
  if (length <= limits.cacheSalt.value + 2) return stringOf(json.value("cache_salt"));
  const head = json.bytes.subarray(member.start, Math.min(member.end, member.start + hashedOfSalt));
  return createHash("sha256").update(`${length} `).update(head).digest("base64");
}

const hashedOfSalt = 64 * 2 ** 10;

function modelSpans({ bytes, members }: JsonBody): readonly ByteSpan[] {
  const spans = members.filter(({ name }) => name === "model");
  if (spans.length > 0) return spans.map(({ start, end }) => ({ start, end }));
  const start = bytes.indexOf("{") + 1;
  return [{ start, end: start }];
}

function continuedBy(json: JsonBody): KeptState | undefined {
  const previous = stringOf(json.value("previous_response_id"));
  if (previous !== "") return { kind: "response", id: previous, field: "previous_response_id" };
  const conversation = json.value("conversation");
  const id = stringOf(isObject(conversation) ? conversation.id : conversation);
  return id === "" ? undefined : { kind: "conversation", id, field: "conversation" };
}
