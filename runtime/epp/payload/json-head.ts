import type { ByteSpan } from "./byte-span.ts";

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const letterU = 0x75;

/** The start of a JSON value, closed so that it is valid JSON, and the number of bytes left out. */
export interface JsonHead {
  readonly text: string;
  readonly bytesLeftOut: number;
}

/** Largest part of a value that is read. */
export interface HeadBudget {
  readonly values: number;
  readonly bytes: number;
}

/**
 * Returns the part of a string, a list or an object that fits the budget. It is cut between two values or within a
 * string, and all open strings, lists and objects are closed. A key whose value does not fit is left out.
 * @param bytes UTF-8, in which `span` is valid JSON
 */
export function jsonHead(bytes: Buffer, { start, end }: ByteSpan, budget: HeadBudget): JsonHead {
  const last = Math.min(end, start + budget.bytes);
  const closers: number[] = [];
  const head = (to: number, closing: string): JsonHead => ({
    text: bytes.toString("utf8", start, to) + closing + closed(closers),
    bytesLeftOut: end - to,
  });
  let values = 0;
  let isKey = false;
  // Everything before this offset is complete.
  let whole = start;
  for (let at = start; at < last; at += 1) {
    const byte = bytes[at] as number;
    switch (byte) {
      case quote: {
        const stop = endOfString(bytes, at + 1, last);
        if (stop === last || bytes[stop] !== quote)
          return isKey ? head(whole, "") : head(stop, '"');
        at = stop;
        break;
      }
      case openBrace:
      case openBracket:
        // In ASCII each closing bracket is two above its opening bracket.
        closers.push(byte + 2);
        values += 1;
        isKey = byte === openBrace;
        whole = at + 1;
        break;
      case closeBrace:
      case closeBracket:
        closers.pop();
        whole = at + 1;
        break;
      case colon:
        isKey = false;
        break;
      case comma:
        values += 1;
        if (values >= budget.values) return head(at, "");
        isKey = closers.at(-1) === closeBrace;
        whole = at;
        break;
    }
  }
  return last === end ? head(end, "") : head(whole, "");
}

const closed = (closers: readonly number[]) => Buffer.from(closers).reverse().toString("latin1");

/**
 * Returns the index of the quote that ends a string, or the end of its last complete character if there is none before
 * `last`.
 */
function endOfString(bytes: Buffer, start: number, last: number): number {
  let at = start;
  while (at < last && bytes[at] !== quote) {
    const length = bytes[at] !== backslash ? 1 : bytes[at + 1] === letterU ? 6 : 2;
    if (at + length > last) return at;
    at += length;
  }
  while (isContinuation(bytes[at])) at -= 1;
  return at;
}

const isContinuation = (byte: number | undefined) => ((byte ?? 0) & 0xc0) === 0x80;
