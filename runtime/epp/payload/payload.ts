import type { PromptText } from "../../../scheduling/request.ts";
import type { EngineField } from "./engine-fields.ts";
import type { TokenInput } from "./token-input.ts";

/** What the picker knows of a request's body after parsing. */
export interface Payload extends PromptText {
  /** Type of the parser that read it, for example `openai-parser`. */
  readonly parser: string;
  /** Why the picker cannot read the body; undefined for one that it reads. */
  readonly unread?: string;
  /** The body is a multipart form: its values are text as it is, without quotes. Default: it is JSON or not read. */
  readonly isForm?: boolean;
  /** Bytes as the client sent them. */
  readonly body: Buffer;
  /** The API's requests name a model. */
  readonly needsModel: boolean;
  /** Value of the top-level `model`; undefined where the body has none or was not parsed. */
  readonly model: string | undefined;
  /**
   * The place of a new model name: the byte range of the value of the top-level `model` with its quotes, or an empty range
   * right after the opening brace where there is none. Undefined where the body is not a JSON object.
   */
  readonly modelSpans: readonly ByteSpan[] | undefined;
  /** Range of the value of the top-level `conversation`; undefined if the body has none or is not read. */
  readonly conversationSpan?: ByteSpan | undefined;
  /** Members that only infrastructure may set, in the order of the bytes; none where the body is not a JSON object. */
  readonly engineFields: readonly EngineField[];
  /** What the tokens of its prompts are found from; undefined where nobody can tell them. */
  readonly tokenInput: TokenInput | undefined;
  /** The client asked for a stream (`"stream": true`). */
  readonly streaming: boolean;
  /** State in a model server's memory that the request continues; undefined for none. */
  readonly continues: KeptState | undefined;
  /** What the model server keeps of its answer, under an id; undefined for nothing. */
  readonly keeps: KeptState["kind"] | undefined;
}

/** A response or a conversation that a model server keeps in its memory. */
export interface KeptState {
  readonly kind: "response" | "conversation";
  readonly id: string;
  /** Member of the body that names it; undefined if the path does. */
  readonly field: "previous_response_id" | "conversation" | undefined;
}

export interface ByteSpan {
  readonly start: number;
  readonly end: number;
}

/** Token counts as the model server reports them; of a stream that tells none, the events that brought text. */
export interface Usage {
  /** Undefined where only events were counted. */
  readonly inputTokens: number | undefined;
  readonly outputTokens: number;
  readonly cachedTokens: number | undefined;
}

/** A body that the picker cannot read, and why. */
export const unreadPayload = (parser: string, body: Buffer, why: string): Payload => ({
  ...emptyPayload(parser, body),
  unread: why,
});

/** A body of which nothing is known. */
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
