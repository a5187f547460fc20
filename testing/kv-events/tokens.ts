import { tokenChars } from "../model-server/simulation.ts";

/** Tokens that a model may have. */
const vocabulary = 151_936;

/** The tokens of a string for a simulated engine: one per four characters, computed from them. */
export function tokensOf(text: string): number[] {
  const tokens: number[] = [];
  for (let at = 0; at < text.length; at += tokenChars) {
    let token = 0;
    for (let each = at; each < Math.min(at + tokenChars, text.length); each += 1)
      token = (token * 257 + text.charCodeAt(each)) % vocabulary;
    tokens.push(token);
  }
  return tokens;
}
