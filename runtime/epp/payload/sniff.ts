import type { RequestHeaders } from "../../../scheduling/requests/request-headers.ts";
import type { RequestApi } from "../../../sdk/routing/api-paths.ts";
import { isObject, type JsonBody } from "./json-body.ts";

/**
 * Returns the APIs to which a body may belong, the likelier first, for proxies that do not send the path (NGINX Gateway
 * Fabric). Empty if no field identifies an API.
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

/** Anthropic's API requires the version header, and no other API has `system` next to `messages`. */
const isAnthropic = (body: JsonBody, headers: RequestHeaders) =>
  headers.has("anthropic-version") || body.has("system");

/**
 * Whether `input` is for the responses API. A string is the same prompt for both APIs, and only the responses API adds
 * instructions.
 */
const isItems = (input: unknown) =>
  typeof input === "string" || (Array.isArray(input) && input.every(isObject));
