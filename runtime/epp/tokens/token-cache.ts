export type Tokens = ReadonlyArray<Uint32Array>;

/** Tokens of the most recent prompts, limited in size. */
export class TokenCache {
  readonly #maxBytes: number;
  /** The least recently used entry is first. */
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

/** Returns the size of an entry in bytes, including overhead. */
const sizeOf = (key: string, tokens: Tokens): number =>
  tokens.reduce((sum, { byteLength }) => sum + byteLength + 100, 100 + key.length);
