import { isObject, type JsonObject } from "../../epp/payload/json-body.ts";
import type { RequestBody } from "./request-body.ts";

/** Types of chat parts that encoders process (llm-d's sidecar, connector_ec_common.go). */
const types: ReadonlySet<unknown> = new Set(["image_url", "audio_url", "video_url", "input_audio"]);

/** Returns the images, videos and sounds of a chat in order, without duplicates. */
export function multimodalParts(body: RequestBody): JsonObject[] {
  const json = body.value("messages");
  const messages: unknown = json === undefined ? undefined : JSON.parse(json.toString());
  if (!Array.isArray(messages)) return [];
  const parts = messages
    .flatMap((message) =>
      isObject(message) && Array.isArray(message.content) ? message.content : [],
    )
    .filter((part): part is JsonObject => isObject(part) && types.has(part.type));
  return [...new Map(parts.map((part) => [identityOf(part), part])).values()];
}

/** Parts with the same URL are encoded once, even if their other fields differ. */
function identityOf(part: JsonObject): string {
  const medium = part[String(part.type)];
  const url = isObject(medium) ? medium.url : undefined;
  return typeof url === "string" ? url : JSON.stringify(part);
}
