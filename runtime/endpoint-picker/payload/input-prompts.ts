/** Prompts of APIs that take a text, texts, tokens, or lists of tokens in one field. */

const isText = (value: unknown) => typeof value === "string";
const isToken = (value: unknown) => typeof value === "number" && value >>> 0 === value;

/** A text, or a list that is not empty of texts, tokens or lists of tokens; never mixed. */
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

/** One prompt for each text or list of tokens. `input` is valid, as `isTextInput` says. */
export function textInputPrompts(input: unknown): readonly string[] {
  if (typeof input === "string") return [input];
  if (isTokenList(input)) return [tokenText(input as readonly number[])];
  return (input as ReadonlyArray<string | readonly number[]>).map((item) =>
    typeof item === "string" ? item : tokenText(item),
  );
}

/**
 * A text for tokens in which each is four characters long, since four bytes of text count for a token elsewhere.
 * Holds 24 bits of each id, more than any vocabulary needs.
 */
export function tokenText(ids: readonly number[]): string {
  const text = Buffer.allocUnsafe(4 * ids.length);
  let at = 0;
  for (const id of ids) {
    for (let shift = 0; shift < 24; shift += 6) text[at++] = 0x30 + ((id >>> shift) & 0x3f);
  }
  return text.toString("latin1");
}
