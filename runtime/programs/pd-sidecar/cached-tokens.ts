import type { OutgoingHttpHeaders } from "node:http";
import { FieldRewriter } from "../../epp/payload/field-rewriter.ts";

/** Engines' usage objects have some hundred bytes. */
const longestUsage = 16 * 1024;

/** Chat and completions, responses, and Anthropic's messages. */
const counts = /("(?:cached_tokens|cache_read_input_tokens)"\s*:\s*)\d+/g;

/**
 * Puts the prefiller's number of cached tokens into the decoder's usage: for the decoder the whole prompt was cached,
 * since it came from the prefiller.
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

/** An answer's bytes can be read: JSON or server-sent events, not compressed. */
export function isReadable(headers: OutgoingHttpHeaders): boolean {
  const encoding = String(headers["content-encoding"] ?? "identity");
  return encoding.toLowerCase() === "identity" && /json|event-stream/i.test(typeOf(headers));
}

export const isEventStream = (headers: OutgoingHttpHeaders): boolean =>
  /^text\/event-stream/i.test(typeOf(headers));

const typeOf = (headers: OutgoingHttpHeaders) => String(headers["content-type"] ?? "");
