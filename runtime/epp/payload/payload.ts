import type { PromptText } from "../../../scheduling/requests/request.ts";
import type { ByteSpan } from "./byte-span.ts";
import type { EngineField } from "./engine-fields.ts";
import type { TokenInput } from "./token-input.ts";

/** A request's body after parsing. */
export interface Payload extends PromptText {
  /** Type of the parser that read it, for example `openai-parser`. */
  readonly parser: string;
  /** Reason that the picker cannot read the body; undefined if it can. */
  readonly unread?: string;
  /** Whether the body is a multipart form, whose values are text without quotes. Default: it is JSON or unread. */
  readonly isForm?: boolean;
  /** Bytes as the client sent them. */
  readonly body: Buffer;
  /** Whether requests of this API name a model. */
  readonly needsModel: boolean;
  /** Value of the top-level `model`; undefined if the body has none or was not parsed. */
  readonly model: string | undefined;
  /**
   * Byte ranges that a new model name replaces: the value of the top-level `model` with its quotes, or an empty range
   * right after the opening brace if there is none. Undefined if the body was not read.
   */
  readonly modelSpans: readonly ByteSpan[] | undefined;
  /** Range of the value of the top-level `conversation`; undefined if the body has none or is not read. */
  readonly conversationSpan?: ByteSpan | undefined;
  /** Members that only infrastructure may set, in the order of the bytes; none if the body was not read. */
  readonly engineFields: readonly EngineField[];
  /** Source of the tokens of the prompts; undefined if they cannot be found. */
  readonly tokenInput: TokenInput | undefined;
  /** The client asked for a stream (`"stream": true`). */
  readonly streaming: boolean;
  /** State in a model server's memory that the request continues; undefined for none. */
  readonly continues: KeptState | undefined;
  /** State that the model server keeps under the id of its response; undefined for none. */
  readonly keeps: KeptState["kind"] | undefined;
}

/** A response or a conversation that a model server keeps in its memory. */
export interface KeptState {
  readonly kind: "response" | "conversation";
  readonly id: string;
  /** Member of the body that names it; undefined if the path does. */
  readonly field: "previous_response_id" | "conversation" | undefined;
}

/** Token counts that the model server reports. For a stream without a report, the number of its events with text. */
export interface Usage {
  /** Undefined if only events were counted. */
  readonly inputTokens: number | undefined;
  readonly outputTokens: number;
  readonly cachedTokens: number | undefined;
}

/** Returns the payload of a body that the picker cannot read. */
export const unreadPayload = (parser: string, body: Buffer, why: string): Payload => ({
  ...emptyPayload(parser, body),
  unread: why,
});

/** Returns the payload of a body whose fields are unknown. */
export const emptyPayload = (parser: string, body: Buffer): Payload => ({
  parser,
  body,
  needsModel: false,
  model: undefined,
  modelSpans: undefined,
  engineFields: [],
  tokenInput: undefined,
  streaming: false,
  continues: undefined,
  keeps: undefined,
  prompts: [],
  tokensBeyond: 0,
  cacheSalt: "",
});
