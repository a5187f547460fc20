import type { RequestHeaders } from "../../../scheduling/request-headers.ts";
import type { RequestApi } from "../../../sdk/routing/api-paths.ts";
import { isObject, type JsonBody } from "./json-body.ts";

/**
 * APIs that a body may belong to, the likelier first, for proxies that do not tell a request's path (NGINX Gateway
 * Fabric). Empty where nothing in the body says.
 */
export function apisOfBody(body: JsonBody, headers: RequestHeaders): readonly RequestApi[] {
  if (body.has("token_ids")) return ["generate"];
  if (body.has("messages"))
    return isAnthropic(body, headers) ? ["messages", "chat"] : ["chat", "messages"];
  if (body.has("prompt") || body.has("prompt_embeds")) return ["completions"];
  if (body.has("input")) return [isItems(body.value("input")) ? "responses" : "embeddings"];
  if (body.has("items")) return ["conversations"];
  return [];
}

/** The API's version header is mandatory there, and `system` beside the messages exists nowhere else. */
const isAnthropic = (body: JsonBody, headers: RequestHeaders) =>
  headers.has("anthropic-version") || body.has("system");

/** A string is the same prompt for both APIs; with responses it may have instructions. */
const isItems = (input: unknown) =>
  typeof input === "string" || (Array.isArray(input) && input.every(isObject));
