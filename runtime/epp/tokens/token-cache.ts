export type Tokens = ReadonlyArray<Uint32Array>;

/** Tokens of the prompts that were asked for last, of limited size. */
export class TokenCache {
  readonly #maxBytes: number;
  /** The least recently used first. */
  readonly #entries = new Map<string, Tokens>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): Tokens | undefined {
    const tokens = this.#entries.get(key);
    if (tokens === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, tokens);
    return tokens;
  }

  set(key: string, tokens: Tokens): void {
    this.#delete(key);
    this.#entries.set(key, tokens);
    this.#bytes += sizeOf(key, tokens);
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#delete(oldest);
    }
  }

  #delete(key: string): void {
    const tokens = this.#entries.get(key);
    if (tokens === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= sizeOf(key, tokens);
  }
}

/** With what an entry takes besides its tokens. */
const sizeOf = (key: string, tokens: Tokens): number =>
  tokens.reduce((sum, { byteLength }) => sum + byteLength + 100, 100 + key.length);
