/** Bytes of text per token (llm-d-router, token-producer's estimate). */
export const bytesPerToken = 4;

/** Estimates the number of tokens of a string. */
export const textTokens = (text: string): number =>
  Math.ceil(Buffer.byteLength(text) / bytesPerToken);
