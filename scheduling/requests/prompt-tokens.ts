import type { SchedulingRequest } from "./request.ts";
import { textTokens } from "./text-tokens.ts";

/** Estimates the tokens of a request's prompts. Frequent callers store the result, as `Cycle` does. */
export function promptTokens({ payload }: SchedulingRequest): number {
  let tokens = payload.tokensBeyond;
  for (const prompt of payload.prompts) tokens += textTokens(prompt);
  return tokens;
}
