import type { RequestHeaders } from "../../../scheduling/requests/request-headers.ts";
import { FieldRewriter } from "./field-rewriter.ts";

export interface ModelRestorerOptions {
  /** Name that the server knows. */
  readonly from: string;
  /** Name that the client sent. */
  readonly to: string;
  /** The response is a stream of server-sent events. */
  readonly sse: boolean;
}

const backslash = 0x5c;

/**
 * Restores the client's model name in a response: replaces the server's name in field `model` of the response object
 * and of its objects `response` and `message`. Generated text stays unchanged.
 */
export class ModelRestorer extends FieldRewriter {
  constructor({ from, to, sse }: ModelRestorerOptions) {
    const fromLiteral = Buffer.from(JSON.stringify(from));
    const toLiteral = Buffer.from(JSON.stringify(to));
    // Apart from escapes, a name has one form in JSON.
    const isFrom = (literal: Buffer) =>
      literal.equals(fromLiteral) || (literal.includes(backslash) && unescaped(literal) === from);
    super({
      ...{ field: "model", kind: "string", sse },
      // Every UTF-16 unit may be an escape.
      longest: 6 * from.length + 2,
      rewrite: (literal) => (isFrom(literal) ? toLiteral : undefined),
    });
  }
}

function unescaped(literal: Buffer): unknown {
  try {
    return JSON.parse(literal.toString());
  } catch {
    return undefined;
  }
}

/** Whether a response's bytes can be read: its type is JSON or server-sent events, and it is not compressed. */
export function isRestorable(headers: RequestHeaders): boolean {
  const encoding = headers.get("content-encoding") ?? "identity";
  const type = headers.get("content-type") ?? "json";
  return encoding.trim().toLowerCase() === "identity" && /json|text\/event-stream/i.test(type);
}
