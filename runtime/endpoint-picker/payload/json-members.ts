import type { ByteSpan } from "./payload.ts";

/** A member of the outermost object of a JSON text: its key, and where its value stands. */
export interface JsonMember extends ByteSpan {
  readonly key: string;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * The members of a JSON object in order, those of equal keys included. Reads no values: what JSON.parse accepts is
 * walked over in steps of whole strings.
 * @param json valid JSON whose value is an object, as UTF-8.
 */
export function jsonMembers(json: Buffer): JsonMember[] {
  const members: JsonMember[] = [];
  let at = json.indexOf(openBrace) + 1;
  for (;;) {
    at = skipWhile(json, at, isBetweenMembers);
    if (at >= json.length || json[at] === closeBrace) return members;
    const endOfKey = endOfString(json, at);
    const key = keyText(json, at, endOfKey);
    const start = skipWhile(json, endOfKey, isBeforeValue);
    const end = endOfValue(json, start);
    members.push({ key, start, end });
    at = end;
  }
}

const isSpace = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
const isBetweenMembers = (byte: number) => byte === comma || isSpace(byte);
const isBeforeValue = (byte: number) => byte === 0x3a || isSpace(byte);
const isInPrimitive = (byte: number) => byte !== comma && byte !== closeBrace && !isSpace(byte);

function skipWhile(json: Buffer, from: number, belongs: (byte: number) => boolean): number {
  let at = from;
  while (at < json.length && belongs(json[at] as number)) at += 1;
  return at;
}

/** Escapes are rare in keys, so that only keys that have them are decoded with care. */
function keyText(json: Buffer, start: number, end: number): string {
  const text = json.toString("utf8", start + 1, end - 1);
  return text.includes("\\") ? (JSON.parse(`"${text}"`) as string) : text;
}

function endOfValue(json: Buffer, start: number): number {
  switch (json[start]) {
    case quote:
      return endOfString(json, start);
    case openBrace:
    case openBracket:
      return endOfContainer(json, start);
    default:
      return skipWhile(json, start, isInPrimitive);
  }
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

function endOfContainer(json: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < json.length; at += 1) {
    switch (json[at]) {
      case quote:
        at = endOfString(json, at) - 1;
        break;
      case openBrace:
      case openBracket:
        depth += 1;
        break;
      case closeBrace:
      case closeBracket:
        depth -= 1;
        if (depth === 0) return at + 1;
    }
  }
  return json.length;
}
