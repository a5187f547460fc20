import type { Payload } from "./payload.ts";

/**
 * The body with another model name; every other byte stays as the client sent it. A body that is not a JSON object stays
 * as it is.
 */
export function withModel({ body, modelSpans }: Payload, model: string): Buffer {
  if (modelSpans === undefined) return body;
  const name = JSON.stringify(model);
  const parts: Buffer[] = [];
  let at = 0;
  for (const { start, end } of modelSpans) {
    // A new member is never the only one: every API demands another field.
    const text = start === end ? `"model":${name},` : name;
    parts.push(body.subarray(at, start), Buffer.from(text));
    at = end;
  }
  parts.push(body.subarray(at));
  return Buffer.concat(parts);
}
