import type { OutgoingHttpHeaders } from "node:http";
import { FieldRewriter } from "../../epp/payload/field-rewriter.ts";

/** Longest usage object, in bytes. Engines' have a few hundred bytes. */
const longestUsage = 16 * 1024;

/** Fields of chat completions, completions and responses, and of Anthropic's messages. */
const counts = /("(?:cached_tokens|cache_read_input_tokens)"\s*:\s*)\d+/g;

/**
 * Replaces the decoder's number of cached tokens with the number of the prefiller. The decoder reports the whole prompt
 * as cached, because it received the cache from the prefiller.
 */
export const cachedTokensRewriter = (cachedTokens: number, sse: boolean): FieldRewriter =>
  new FieldRewriter({
    ...{ field: "usage", kind: "object", sse },
    longest: longestUsage,
    rewrite(usage) {
      const text = usage.toString("latin1");
      const rewritten = text.replace(counts, (_, name: string) => `${name}${cachedTokens}`);
      return rewritten === text ? undefined : Buffer.from(rewritten, "latin1");
    },
  });

/** Whether the response's body can be parsed: uncompressed JSON or server-sent events. */
export function isReadable(headers: OutgoingHttpHeaders): boolean {
  const encoding = String(headers["content-encoding"] ?? "identity");
  return encoding.toLowerCase() === "identity" && /json|event-stream/i.test(typeOf(headers));
}

export const isEventStream = (headers: OutgoingHttpHeaders): boolean =>
  /^text\/event-stream/i.test(typeOf(headers));

const typeOf = (headers: OutgoingHttpHeaders) => String(headers["content-type"] ?? "");
