import type { RequestApi } from "../../../sdk/routing/api-paths.ts";
import { anthropicPrompt } from "./anthropic-prompt.ts";
import { chatPrompt } from "./chat-prompt.ts";
import { isTextInput, isTokenList, textInputPrompts, tokenText } from "./input-prompts.ts";
import { isObject, type JsonBody } from "./json-body.ts";

/** What of a request's prompts is looked at. */
export interface Prompts {
  readonly texts: readonly string[];
  /** Estimated tokens of further prompts. */
  readonly tokensBeyond: number;
}

/** How an API's requests carry their prompt. */
interface RequestSchema {
  /** Why a request without a usable prompt is refused, in the upstream picker's words. */
  readonly refusal: string;
  isValid(body: JsonBody): boolean;
  /** Called for valid requests only. */
  prompts(body: JsonBody): Prompts;
}

const none: Prompts = { texts: [], tokensBeyond: 0 };
const one = (text: string): Prompts => ({ texts: [text], tokensBeyond: 0 });

/**
 * The APIs that are understood. What of a request counts as its prompt, and in which order, follows the upstream
 * picker's estimate (llm-d-router, dataproducer/tokenizer/estimate.go).
 */
export const requestApis: Readonly<Record<RequestApi, RequestSchema>> = {
  completions: {
    refusal: "invalid completions request: must have prompt field",
    isValid: (body) => isTextInput(body.value("prompt")),
    prompts: (body) => textInputPrompts(body.value("prompt")),
  },
  chat: {
    refusal: "invalid chat completions request: must have valid messages field",
    isValid: hasMessages,
    prompts: (body) => one(chatPrompt(body)),
  },
  responses: {
    refusal: "invalid responses request: must have input field",
    isValid: (body) => body.isGiven("input"),
    prompts: (body) => one(body.text("instructions") + body.text("tools") + body.text("input")),
  },
  conversations: {
    refusal: "invalid conversations request: must have items field",
    isValid: (body) => body.isFilledList("items"),
    prompts: (body) => one(body.text("items")),
  },
  embeddings: {
    refusal: "invalid embeddings request: must have input field",
    isValid: (body) => isTextInput(body.value("input")),
    prompts: (body) => textInputPrompts(body.value("input")),
  },
  images: {
    refusal: "invalid images generations request: must have prompt field",
    isValid: (body) => isFilledText(body.value("prompt")),
    prompts: () => none,
  },
  messages: {
    refusal: "invalid messages request: must have at least one message",
    isValid: hasMessages,
    prompts: (body) => one(anthropicPrompt(body)),
  },
  // Counting leaves nothing in a server's cache, so that it has no prompt here.
  countTokens: {
    refusal: "invalid messages request: must have at least one message",
    isValid: hasMessages,
    prompts: () => none,
  },
  generate: {
    refusal: "invalid generate request: must have non-empty token_ids field",
    isValid: (body) => isTokenList(body.value("token_ids")),
    prompts: (body) => one(tokenText(body.value("token_ids") as number[])),
  },
};

function hasMessages(body: JsonBody): boolean {
  const messages = body.value("messages");
  return isFilledList(messages) && messages.every(isObject);
}

const isFilledList = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.length > 0;
const isFilledText = (value: unknown) => typeof value === "string" && value !== "";
