import { textTokens } from "../../../scheduling/requests/text-tokens.ts";
import { limits } from "../../limits.ts";

/** Prompts of a request, up to a limit. */
export interface Prompts {
  readonly texts: readonly string[];
  /** Estimated tokens of prompts beyond the limit. */
  readonly tokensBeyond: number;
}

/** Prompts of APIs whose one field takes a string, strings, tokens, or lists of tokens. */

const isText = (value: unknown) => typeof value === "string";
const isToken = (value: unknown) => typeof value === "number" && value >>> 0 === value;

/**
 * Whether a value is a string, or a list of strings, tokens or lists of tokens. The list may be neither empty nor
 * mixed.
 */
export function isTextInput(value: unknown): boolean {
  if (isText(value)) return value !== "";
  return isListOf(isText, value) || isTokenList(value) || isListOf(isTokenList, value);
}

/** A list of token ids: unsigned 32-bit integers. */
export function isTokenList(value: unknown): boolean {
  return isListOf(isToken, value);
}

function isListOf(isItem: (item: unknown) => boolean, value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((item) => isItem(item));
}

/** Returns a prompt for each text or list of tokens, up to the limit. `input` has passed `isTextInput`. */
export function textInputPrompts(input: unknown): Prompts {
  if (typeof input === "string") return { texts: [input], tokensBeyond: 0 };
  if (isTokenList(input)) return { texts: [tokenText(input as Tokens)], tokensBeyond: 0 };
  const items = input as ReadonlyArray<string | Tokens>;
  const most = limits.prompts.value;
  let tokensBeyond = 0;
  for (const item of items.slice(most)) tokensBeyond += tokensOf(item);
  return { texts: items.slice(0, most).map(promptOf), tokensBeyond };
}

type Tokens = readonly number[];

const promptOf = (item: string | Tokens) => (typeof item === "string" ? item : tokenText(item));
const tokensOf = (item: string | Tokens) =>
  typeof item === "string" ? textTokens(item) : item.length;

/**
 * Writes tokens as a string of four characters per token, since four bytes of text count as one token elsewhere.
 * Contains 24 bits of each id, more than any vocabulary needs.
 */
export function tokenText(ids: readonly number[]): string {
  const text = Buffer.allocUnsafe(4 * ids.length);
  let at = 0;
  for (const id of ids) {
    for (let shift = 0; shift < 24; shift += 6) text[at++] = 0x30 + ((id >>> shift) & 0x3f);
  }
  return text.toString("latin1");
}
