import { isObject, type JsonBody, type JsonObject, stringOf } from "./json-body.ts";
import { mediaText } from "./media-text.ts";

/** Start of the system block in which Claude Code numbers its requests; servers leave it out of the prompt. */
const billingHeader = "x-anthropic-billing-header";

/** Prompt of an Anthropic messages request: tools, system, then role and content of each message. */
export function anthropicPrompt(body: JsonBody): string {
  let text = body.text("tools") + systemText(body.value("system"));
  for (const message of body.value("messages") as readonly JsonObject[])
    text += stringOf(message.role) + contentText(message.content);
  return text;
}

function systemText(system: unknown): string {
  return Array.isArray(system)
    ? contentText(system.filter((block) => !isBillingHeader(block)))
    : stringOf(system);
}

const isBillingHeader = (block: unknown) =>
  isObject(block) && stringOf(block.text).startsWith(billingHeader);

function contentText(content: unknown): string {
  if (!Array.isArray(content)) return stringOf(content);
  let text = "";
  for (const block of content) if (isObject(block)) text += blockText(block);
  return text;
}

function blockText(block: JsonObject): string {
  switch (block.type) {
    case "image":
      return isObject(block.source)
        ? mediaText(stringOf(block.source.url) || stringOf(block.source.data))
        : "";
    case "thinking":
      return stringOf(block.thinking);
    case "tool_use":
      return stringOf(block.id) + stringOf(block.name) + jsonText(block.input);
    case "tool_result":
      return toolResultText(block.content);
    default:
      return stringOf(block.text);
  }
}

/** Text and images, one level deep: a tool's result contains no further results. */
function toolResultText(content: unknown): string {
  if (!Array.isArray(content)) return stringOf(content);
  return contentText(content.filter((block) => isObject(block) && block.type !== "tool_result"));
}

function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    // Nested too deep for the stack. No model renders that.
    return "";
  }
}
