import type { RequestHeaders } from "../request-headers.ts";
import { isObject, type JsonObject } from "./json-body.ts";
import type { RequestApi } from "./request-apis.ts";

/**
 * APIs that a body may belong to, the likelier first, for proxies that do not tell a request's path (NGINX Gateway
 * Fabric). Empty where nothing in the body says.
 */
export function apisOfBody(fields: JsonObject, headers: RequestHeaders): readonly RequestApi[] {
  if (fields.token_ids !== undefined) return ["generate"];
  if (fields.messages !== undefined)
    return isAnthropic(fields, headers) ? ["messages", "chat"] : ["chat", "messages"];
  if (fields.prompt !== undefined) return ["completions"];
  if (fields.input !== undefined) return [isItems(fields.input) ? "responses" : "embeddings"];
  if (fields.items !== undefined) return ["conversations"];
  return [];
}

/** The API's version header is mandatory there, and `system` beside the messages exists nowhere else. */
const isAnthropic = (fields: JsonObject, headers: RequestHeaders) =>
  headers.has("anthropic-version") || fields.system !== undefined;

/** A text is the same prompt for both APIs; with responses it may have instructions. */
const isItems = (input: unknown) =>
  typeof input === "string" || (Array.isArray(input) && input.every(isObject));
