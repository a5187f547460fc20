import { isObject, type JsonBody, type JsonObject, stringOf } from "./json-body.ts";
import { mediaText } from "./media-text.ts";

/** Prompt of a chat completions request: tools, then role, content and tool calls of each message. */
export function chatPrompt(body: JsonBody): string {
  let text = body.text("tools");
  for (const message of body.value("messages") as readonly JsonObject[])
    text +=
      stringOf(message.role) + contentText(message.content) + toolCallsText(message.tool_calls);
  return text;
}

/** Parts that an encoder processes, so that their text is not all of the prompt. */
const mediaTypes: ReadonlySet<unknown> = new Set([
  ...["image_url", "video_url", "audio_url", "input_audio"],
]);

/** Whether a chat completions request has pictures, videos or sounds. */
export const hasMedia = (body: JsonBody): boolean =>
  (body.value("messages") as readonly JsonObject[]).some(
    ({ content }) =>
      Array.isArray(content) && content.some((part) => isObject(part) && mediaTypes.has(part.type)),
  );

function contentText(content: unknown): string {
  if (!Array.isArray(content)) return stringOf(content);
  let text = "";
  for (const part of content) if (isObject(part)) text += partText(part);
  return text;
}

function partText(part: JsonObject): string {
  switch (part.type) {
    case "image_url":
      return mediaText(url(part.image_url));
    case "video_url":
      return mediaText(url(part.video_url));
    case "audio_url":
      return mediaText(url(part.audio_url));
    case "input_audio":
      return isObject(part.input_audio) ? mediaText(stringOf(part.input_audio.data)) : "";
    default:
      return stringOf(part.text);
  }
}

const url = (value: unknown) => stringOf(isObject(value) ? value.url : value);

/**
 * Templates render the tool calls of earlier turns, so that conversations with different calls share no further prefix.
 */
function toolCallsText(calls: unknown): string {
  if (!Array.isArray(calls)) return "";
  let text = "";
  for (const call of calls)
    if (isObject(call) && isObject(call.function))
      text += stringOf(call.function.name) + stringOf(call.function.arguments);
  return text;
}
