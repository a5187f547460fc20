import type { ByteSpan } from "./payload.ts";

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** The start of a JSON value, closed so that it is JSON itself, and how many bytes it leaves out. */
export interface JsonHead {
  readonly text: string;
  readonly bytesLeftOut: number;
}

/**
 * So much of a value as holds about `maxValues` values: cut at a comma, with the brackets that are open there closed.
 * @param bytes in which `span` is valid JSON
 */
export function jsonHead(bytes: Buffer, { start, end }: ByteSpan, maxValues: number): JsonHead {
  const closers: number[] = [];
  let values = 0;
  for (let at = start; at < end; at += 1) {
    switch (bytes[at]) {
      case quote:
        at = endOfString(bytes, at) - 1;
        break;
      case openBrace:
        closers.push(closeBrace);
        values += 1;
        break;
      case openBracket:
        closers.push(closeBracket);
        values += 1;
        break;
      case closeBrace:
      case closeBracket:
        closers.pop();
        break;
      case comma:
        values += 1;
        if (values < maxValues) break;
        return {
          text: bytes.toString("utf8", start, at) + String.fromCharCode(...closers.reverse()),
          bytesLeftOut: end - at,
        };
    }
  }
  return { text: bytes.toString("utf8", start, end), bytesLeftOut: 0 };
}

/**
 * Index after the closing quote: the first that an even number of backslashes precedes. Steps from quote to quote,
 * since a string may be megabytes long.
 */
function endOfString(json: Buffer, start: number): number {
  let at = json.indexOf(quote, start + 1);
  while (at >= 0 && isEscaped(json, at)) at = json.indexOf(quote, at + 1);
  return at < 0 ? json.length : at + 1;
}

/** Before the backslashes there is at least the opening quote. */
function isEscaped(json: Buffer, at: number): boolean {
  let first = at;
  while (json[first - 1] === backslash) first -= 1;
  return (at - first) % 2 === 1;
}
