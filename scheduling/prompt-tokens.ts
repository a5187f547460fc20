import type { SchedulingRequest } from "./request.ts";
import { textTokens } from "./text-tokens.ts";

/** Estimated tokens of a request's prompts. Who asks often keeps the answer: `Cycle` does. */
export function promptTokens({ payload }: SchedulingRequest): number {
  let tokens = payload.tokensBeyond;
  for (const prompt of payload.prompts) tokens += textTokens(prompt);
  return tokens;
}
