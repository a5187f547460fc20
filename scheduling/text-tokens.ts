/** Bytes of text that count as a token (llm-d-router, token-producer's estimate). */
export const bytesPerToken = 4;

/** Estimated tokens of a text. */
export const textTokens = (text: string): number =>
  Math.ceil(Buffer.byteLength(text) / bytesPerToken);
