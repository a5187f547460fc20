/** Bytes of text that count as a token (llm-d-router, token-producer's estimate). */
export const bytesPerToken = 4;

/** Estimates how many tokens a string has. */
export const textTokens = (text: string): number =>
  Math.ceil(Buffer.byteLength(text) / bytesPerToken);
