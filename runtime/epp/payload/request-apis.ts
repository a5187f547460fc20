import type { RequestApi } from "../../../sdk/routing/api-paths.ts";
import { anthropicPrompt } from "./anthropic-prompt.ts";
import { chatPrompt } from "./chat-prompt.ts";
import {
  isTextInput,
  isTokenList,
  type Prompts,
  textInputPrompts,
  tokenText,
} from "./input-prompts.ts";
import { isObject, type JsonBody } from "./json-body.ts";

/** How an API's requests carry their prompt. */
interface RequestSchema {
  /** Message that refuses a request without a usable prompt, as in the upstream picker. */
  readonly refusal: string;
  isValid(body: JsonBody): boolean;
  /** Called for valid requests only. */
  prompts(body: JsonBody): Prompts;
}

const none: Prompts = { texts: [], tokensBeyond: 0 };
const one = (text: string): Prompts => ({ texts: [text], tokensBeyond: 0 });

/**
 * The APIs that the picker reads. Only a request that no engine serves is refused here; the engine checks the rest. The
 * parts of a request that count as its prompt, and their order, follow the upstream picker's estimate (llm-d-router,
 * dataproducer/tokenizer/estimate.go).
 */
export const requestApis: Readonly<Record<RequestApi, RequestSchema>> = {
  completions: {
    refusal: "invalid completions request: must have prompt field",
    isValid: (body) => isTextInput(body.value("prompt")) || hasPromptEmbeds(body),
    prompts: completionPrompts,
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
    refusal: "invalid conversations request: items must be a list",
    // A conversation may begin empty.
    isValid: (body) => !body.isGiven("items") || Array.isArray(body.value("items")),
    prompts: (body) => one(body.text("items")),
  },
  embeddings: {
    refusal: "invalid embeddings request: must have input field",
    isValid: (body) => isEmbeddingInput(body.value("input")) || isChat(body.value("messages")),
    prompts: embeddingPrompts,
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
  // Counting leaves nothing in a server's cache, so the request has no prompt here.
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
  other: { refusal: "", isValid: () => true, prompts: () => none },
};

function hasMessages(body: JsonBody): boolean {
  return isObjects(body.value("messages"));
}

/** vLLM accepts a prompt as the base64 of its embeddings, in addition to `prompt` or alone. */
export const hasPromptEmbeds = (body: JsonBody): boolean =>
  body.isFilledText("prompt_embeds") || body.isFilledList("prompt_embeds");

/**
 * Base64 characters of one token's embedding: 16-bit numbers of a model of width 4,096, the width of most models of
 * 8 billion parameters.
 */
const embedBytesPerToken = (4096 * 2 * 4) / 3;

function completionPrompts(body: JsonBody): Prompts {
  const prompt = body.value("prompt");
  const { texts, tokensBeyond } = isTextInput(prompt) ? textInputPrompts(prompt) : none;
  const embeds = body.member("prompt_embeds");
  const embedBytes = embeds === undefined ? 0 : embeds.end - embeds.start;
  return { texts, tokensBeyond: tokensBeyond + Math.ceil(embedBytes / embedBytesPerToken) };
}

/** Text or tokens. vLLM also accepts chats here, and SGLang accepts texts with images. */
const isEmbeddingInput = (input: unknown) => input === "" || isTextInput(input) || isChat(input);

function embeddingPrompts(body: JsonBody): Prompts {
  const input = body.value("input");
  if (isTextInput(input)) return textInputPrompts(input);
  return one(body.text(isEmbeddingInput(input) ? "input" : "messages"));
}

/** One chat, or a list of chats. */
const isChat = (value: unknown) =>
  isObjects(value) || (isFilledList(value) && value.every(isObjects));

const isObjects = (value: unknown): boolean => isFilledList(value) && value.every(isObject);

const isFilledList = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.length > 0;
const isFilledText = (value: unknown) => typeof value === "string" && value !== "";
