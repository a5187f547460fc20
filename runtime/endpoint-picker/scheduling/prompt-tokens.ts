import type { SchedulingRequest } from "./scheduler.ts";

/** Bytes of text that count as a token (llm-d-router, token-producer's estimate). */
export const bytesPerToken = 4;

/** Estimated tokens of a request's prompts. */
export function promptTokens({ payload }: SchedulingRequest): number {
  let tokens = 0;
  for (const prompt of payload.prompts)
    tokens += Math.ceil(Buffer.byteLength(prompt) / bytesPerToken);
  return tokens;
}
