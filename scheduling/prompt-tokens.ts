import type { PromptText, SchedulingRequest } from "./scheduler.ts";
import { textTokens } from "./text-tokens.ts";

const counted = new WeakMap<PromptText, number>();

/** Estimated tokens of a request's prompts. Several plugins ask. */
export function promptTokens({ payload }: SchedulingRequest): number {
  const known = counted.get(payload);
  if (known !== undefined) return known;
  let tokens = payload.tokensBeyond;
  for (const prompt of payload.prompts) tokens += textTokens(prompt);
  counted.set(payload, tokens);
  return tokens;
}
