/** Tokens over which what was seen is forgotten: after so many, about a third of it still counts. */
const memoryTokens = 200_000;

/**
 * How much of what prompts say beyond what all of them say was said before: of chats much, of documents that nobody else asks
 * about nothing. At first it is taken for all, as nothing was seen that speaks against it.
 */
export class Reuse {
  #share = 1;

  /** From 0 to 1. */
  get share(): number {
    return this.#share;
  }

  /** A prompt had so many tokens beyond what all say, and so many of them were known. */
  saw(tokens: number, known: number): void {
    if (tokens <= 0) return;
    const kept = Math.exp(-tokens / memoryTokens);
    this.#share = this.#share * kept + (known / tokens) * (1 - kept);
  }
}
