import { createHash } from "node:crypto";

/**
 * A prefix cache as vLLM has it: whole blocks of a prompt, each known together with all before it, the least recently
 * used dropped first.
 */
export class BlockCache {
  readonly #capacity: number;
  /** In order of use, the oldest first. */
  readonly #blocks = new Set<string>();

  /** @param capacity blocks that it holds */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#blocks.size;
  }

  /** Takes in a prompt and answers how many of its first blocks were there. */
  admit(keys: readonly string[]): number {
    const hits = keys.findIndex((key) => !this.#blocks.has(key));
    for (const key of keys) {
      this.#blocks.delete(key);
      this.#blocks.add(key);
    }
    for (const oldest of this.#blocks) {
      if (this.#blocks.size <= this.#capacity) break;
      this.#blocks.delete(oldest);
    }
    return hits < 0 ? keys.length : hits;
  }
}

/** A key for each whole block of `blockChars` characters, by all text up to its end and the model. */
export function blockKeys(model: string, prompt: string, blockChars: number): string[] {
  const keys: string[] = [];
  let before = model;
  for (let at = 0; at + blockChars <= prompt.length; at += blockChars) {
    before = createHash("sha1")
      .update(before)
      .update("\0")
      .update(prompt.slice(at, at + blockChars))
      .digest("base64");
    keys.push(before);
  }
  return keys;
}
