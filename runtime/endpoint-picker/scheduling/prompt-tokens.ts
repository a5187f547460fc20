import type { Payload } from "../payload/payload.ts";
import { textTokens } from "../payload/text-tokens.ts";
import type { SchedulingRequest } from "./scheduler.ts";

const counted = new WeakMap<Payload, number>();

/** Estimated tokens of a request's prompts. Several plugins ask. */
export function promptTokens({ payload }: SchedulingRequest): number {
  const known = counted.get(payload);
  if (known !== undefined) return known;
  let tokens = payload.tokensBeyond;
  for (const prompt of payload.prompts) tokens += textTokens(prompt);
  counted.set(payload, tokens);
  return tokens;
}
