import { bytesPerToken } from "../requests/text-tokens.ts";
import type { BlockHasher } from "./block-hash.ts";

/** Keys of a prompt's blocks, from first to last. */
export type Chain = Float64Array;

/**
 * Largest part of a prompt that is hashed in one slice, in bytes. A slice takes about 1 ms. The first slice of a prompt
 * of 4 MB takes 3 to 5 ms, because the prompt's parts are also joined into one string.
 */
export const sliceBytes = 512 * 1024;

export interface PromptBlocks {
  readonly prompt: string;
  /** Maximum number of bytes of the prompt that are hashed. */
  readonly maxBytes: number;
  readonly blockTokens: number;
  /** A hasher that has hashed nothing. */
  readonly hasher: BlockHasher;
}

/** Hashes a prompt in one step. */
export function promptChain({ prompt, maxBytes, blockTokens, hasher }: PromptBlocks): Chain {
  // A UTF-16 unit takes at most three bytes in UTF-8.
  reserve(Math.min(prompt.length * 3, maxBytes));
  const { bytes, words } = buffer;
  const written = bytes.write(prompt, 0, Math.min(maxBytes, bytes.length - bytesPerToken));
  const total = fillWord(written);
  const keys = new Float64Array(Math.ceil(total / blockTokens));
  for (let block = 0; block < keys.length; block += 1) {
    const start = block * blockTokens;
    keys[block] = hasher.block(words, start, Math.min(start + blockTokens, total));
  }
  return keys;
}

/**
 * Hashes a prompt in slices, and returns the same chain as `promptChain`. Yields the bytes of each slice.
 * @param ofSlice bytes of a slice, at least 4. Default `sliceBytes`
 */
export function* slicedChain(
  { prompt, maxBytes, blockTokens, hasher }: PromptBlocks,
  ofSlice = sliceBytes,
): Generator<number, Chain> {
  const blockBytes = blockTokens * bytesPerToken;
  const keys: number[] = [];
  /** Bytes of the block that is not complete. Other prompts use the buffer between two slices. */
  let rest = Buffer.alloc(0);
  for (let at = 0, left = maxBytes; at < prompt.length; ) {
    const text = prompt.slice(at, endOfSlice(prompt, at + ofSlice));
    const most = Math.min(left, ofSlice);
    reserve(rest.length + most);
    const { bytes, words } = buffer;
    bytes.set(rest);
    const slice = bytes.subarray(rest.length, rest.length + most);
    const { read, written } = encoder.encodeInto(text, slice);
    if (read === 0) break;
    at += read;
    left -= written;
    const held = rest.length + written;
    const whole = Math.floor(held / blockBytes);
    for (let block = 0; block < whole; block += 1)
      keys.push(hasher.block(words, block * blockTokens, (block + 1) * blockTokens));
    rest = Buffer.from(bytes.subarray(whole * blockBytes, held));
    yield written;
  }
  if (rest.length > 0) {
    reserve(rest.length);
    buffer.bytes.set(rest);
    keys.push(hasher.block(buffer.words, 0, fillWord(rest.length)));
  }
  return Float64Array.from(keys);
}

/** Returns the end of a slice that should end at `to`. It does not split a surrogate pair. */
const endOfSlice = (prompt: string, to: number): number =>
  (prompt.charCodeAt(to - 1) & 0xfc00) === 0xd800 ? to - 1 : to;

const encoder = new TextEncoder();

/** Fills the buffer up with zeros to a whole word. Returns the number of words. */
function fillWord(written: number): number {
  buffer.bytes.fill(0, written, written + bytesPerToken);
  return Math.ceil(written / bytesPerToken);
}

/** Makes the buffer large enough for `size` bytes and a word of zeros. */
function reserve(size: number): void {
  const needed = size + bytesPerToken;
  if (buffer.bytes.length < needed) buffer = scratch(2 ** Math.ceil(Math.log2(needed)));
}

/** Memory for the UTF-8 of a prompt, as bytes and as words. */
function scratch(size: number): { readonly bytes: Buffer; readonly words: Int32Array } {
  const memory = new ArrayBuffer(size);
  return { bytes: Buffer.from(memory), words: new Int32Array(memory) };
}

/** Shared by all caches of the process, because a prompt or a slice is written and hashed without interruption. */
let buffer = scratch(2 ** 16);
