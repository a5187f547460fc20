import { anthropicPrompt } from "./anthropic-prompt.ts";
import { chatPrompt } from "./chat-prompt.ts";
import { isTextInput, isTokenList, textInputPrompts, tokenText } from "./input-prompts.ts";
import { isObject, type JsonBody, type JsonObject } from "./json-body.ts";

/** How an API's requests carry their prompt. */
interface RequestSchema {
  /** Why a request without a usable prompt is refused, in the upstream picker's words. */
  readonly refusal: string;
  isValid(fields: JsonObject): boolean;
  /** Called for valid requests only. */
  prompts(body: JsonBody): readonly string[];
}

export type RequestApi =
  | "completions"
  | "chat"
  | "responses"
  | "conversations"
  | "embeddings"
  | "images"
  | "messages"
  | "countTokens"
  | "generate";

/**
 * The APIs that are understood. What of a request counts as its prompt, and in which order, follows the upstream
 * picker's estimate (llm-d-router, dataproducer/tokenizer/estimate.go).
 */
export const requestApis: Readonly<Record<RequestApi, RequestSchema>> = {
  completions: {
    refusal: "invalid completions request: must have prompt field",
    isValid: ({ prompt }) => isTextInput(prompt),
    prompts: ({ fields }) => textInputPrompts(fields.prompt),
  },
  chat: {
    refusal: "invalid chat completions request: must have valid messages field",
    isValid: hasMessages,
    prompts: (body) => [chatPrompt(body)],
  },
  responses: {
    refusal: "invalid responses request: must have input field",
    isValid: ({ input }) => input !== undefined && input !== null,
    prompts: (body) => [body.text("instructions") + body.text("tools") + body.text("input")],
  },
  conversations: {
    refusal: "invalid conversations request: must have items field",
    isValid: ({ items }) => Array.isArray(items) && items.length > 0,
    prompts: (body) => [body.text("items")],
  },
  embeddings: {
    refusal: "invalid embeddings request: must have input field",
    isValid: ({ input }) => isTextInput(input),
    prompts: ({ fields }) => textInputPrompts(fields.input),
  },
  images: {
    refusal: "invalid images generations request: must have prompt field",
    isValid: ({ prompt }) => typeof prompt === "string" && prompt !== "",
    prompts: () => [],
  },
  messages: {
    refusal: "invalid messages request: must have at least one message",
    isValid: hasMessages,
    prompts: (body) => [anthropicPrompt(body)],
  },
  // Counting leaves nothing in a server's cache, so that it has no prompt here.
  countTokens: {
    refusal: "invalid messages request: must have at least one message",
    isValid: hasMessages,
    prompts: () => [],
  },
  generate: {
    refusal: "invalid generate request: must have non-empty token_ids field",
    isValid: (fields) => isTokenList(fields.token_ids),
    prompts: ({ fields }) => [tokenText(fields.token_ids as number[])],
  },
};

function hasMessages({ messages }: JsonObject): boolean {
  return Array.isArray(messages) && messages.length > 0 && messages.every(isObject);
}
