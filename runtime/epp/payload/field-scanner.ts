const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** First byte of a value, by kind. */
export const firstBytes = { string: quote, object: openBrace } as const;

/** Receives a value: the bytes from `start` to before `end` of the piece. A negative `start` is in earlier pieces. */
export type OnValue = (start: number, end: number) => void;

/** States of a scanner in an object whose keys it reads. */
const beforeKey = 0;
const afterKey = 1;
const beforeValue = 2;
const afterValue = 3;

/** Meanings of the last key. */
const otherKey = 0;
const fieldKey = 1;
const holderKey = 2;

/**
 * Members whose objects may contain the field too: `response` in events of OpenAI's responses API, `message` in
 * Anthropic's message_start.
 */
const holders = [Buffer.from("response"), Buffer.from("message")] as const;

const nothing = Buffer.alloc(0);

/**
 * Finds the values of one field in JSON that arrives in pieces, cut anywhere. Reads the field in the outermost object,
 * and in its members `response` and `message` if these are objects. Reads each byte once, keeps only a key that is cut,
 * and never throws: in malformed JSON it may report false matches.
 */
export class FieldScanner {
  readonly #field: Buffer;
  readonly #longestKey: number;
  readonly #kind: number;
  readonly #onValue: OnValue;
  /** Number of open objects and lists. */
  #depth = 0;
  /** Depth at which keys are read: 1 in the outermost object, 2 in a holder, 0 elsewhere. */
  #keyDepth = 0;
  #position = beforeKey;
  #key = otherKey;
  #inString = false;
  #escaped = false;
  /** Whether the open string is a key. It starts at `#keyStart`, or with `#keyHead` in earlier pieces. */
  #isKey = false;
  #keyStart = 0;
  #keyHead: Buffer = nothing;
  #inValue = false;
  #valueStart = 0;

  constructor(field: string, kind: keyof typeof firstBytes, onValue: OnValue) {
    this.#field = Buffer.from(field);
    this.#longestKey = Math.max(this.#field.length, ...holders.map(({ length }) => length));
    this.#kind = firstBytes[kind];
    this.#onValue = onValue;
  }

  /** Bytes of the value in which the last piece ended; 0 if it did not end in a value. */
  get openValueBytes(): number {
    return this.#inValue ? -this.#valueStart : 0;
  }

  /**
   * Reads a piece: the bytes from `from` to before `to`. The next piece continues it, at the start of its own bytes. If
   * `to` is not the end of the bytes, `reset` must follow.
   */
  scan(bytes: Buffer, from: number, to: number): void {
    this.#keyStart = from;
    for (let at = from; at < to; )
      at = this.#inString ? this.#scanString(bytes, at, to) : this.#scanStructure(bytes, at, to);
    if (this.#isKey) this.#keepKey(bytes, to);
    if (this.#inValue) this.#valueStart -= bytes.length;
  }

  /** Forgets all open objects: the next piece starts another JSON text. */
  reset(): void {
    this.#depth = 0;
    this.#keyDepth = 0;
    this.#inString = false;
    this.#escaped = false;
    this.#isKey = false;
    this.#keyHead = nothing;
    this.#inValue = false;
  }

  /** Reads byte by byte: most strings of a stream are too short for `indexOf` to be faster. */
  #scanString(bytes: Buffer, from: number, to: number): number {
    let escaped = this.#escaped;
    for (let at = from; at < to; at += 1) {
      if (escaped) escaped = false;
      else if (bytes[at] === backslash) escaped = true;
      else if (bytes[at] === quote) {
        this.#escaped = false;
        this.#closeString(bytes, at);
        return at + 1;
      }
    }
    this.#escaped = escaped;
    return to;
  }

  /** Reads up to the next string. */
  #scanStructure(bytes: Buffer, from: number, to: number): number {
    for (let at = from; at < to; at += 1) {
      switch (bytes[at]) {
        case quote:
          this.#openString(at);
          return at + 1;
        case openBrace:
          this.#open(at, true);
          break;
        case openBracket:
          this.#open(at, false);
          break;
        case closeBrace:
        case closeBracket:
          this.#close(at);
          break;
        case comma:
          if (this.#depth === this.#keyDepth) this.#position = beforeKey;
          break;
        case colon:
          if (this.#readsKeys(afterKey)) this.#position = beforeValue;
      }
    }
    return to;
  }

  #openString(at: number): void {
    this.#inString = true;
    if (this.#readsKeys(beforeKey)) {
      this.#isKey = true;
      this.#keyStart = at + 1;
    } else if (this.#readsKeys(beforeValue)) this.#openValue(at, quote);
  }

  #closeString(bytes: Buffer, at: number): void {
    this.#inString = false;
    if (this.#isKey) {
      this.#key = this.#meaningOfKey(bytes, at);
      this.#isKey = false;
      this.#keyHead = nothing;
      this.#position = afterKey;
    } else if (this.#depth === this.#keyDepth) this.#closeValue(at);
  }

  #open(at: number, isObject: boolean): void {
    const isMember = this.#readsKeys(beforeValue);
    this.#depth += 1;
    if (!isObject) return;
    if (this.#depth === 1 || (isMember && this.#key === holderKey && this.#depth === 2)) {
      this.#keyDepth = this.#depth;
      this.#position = beforeKey;
    } else if (isMember) this.#openValue(at, openBrace);
  }

  #close(at: number): void {
    if (this.#depth === 0) return;
    this.#depth -= 1;
    if (this.#depth < this.#keyDepth) this.#keyDepth = this.#depth;
    if (this.#depth === this.#keyDepth) this.#closeValue(at);
  }

  #openValue(at: number, kind: number): void {
    if (this.#key !== fieldKey || this.#kind !== kind) return;
    this.#inValue = true;
    this.#valueStart = at;
  }

  #closeValue(at: number): void {
    this.#position = afterValue;
    if (!this.#inValue) return;
    this.#inValue = false;
    this.#onValue(this.#valueStart, at + 1);
  }

  /** Whether the keys of the open object are read and the scanner is at `position` in it. */
  #readsKeys(position: number): boolean {
    return this.#depth === this.#keyDepth && this.#depth > 0 && this.#position === position;
  }

  #meaningOfKey(bytes: Buffer, end: number): number {
    const cut = this.#keyHead.length > 0;
    if (cut) this.#keepKey(bytes, end);
    const key = cut ? this.#keyHead : bytes;
    const start = cut ? 0 : this.#keyStart;
    const length = cut ? key.length : end - start;
    if (isAt(key, start, length, this.#field)) return fieldKey;
    return isAt(key, start, length, holders[0]) || isAt(key, start, length, holders[1])
      ? holderKey
      : otherKey;
  }

  /** Keeps only the bytes of a key that are needed to recognize it. */
  #keepKey(bytes: Buffer, end: number): void {
    const most = this.#longestKey + 1;
    const rest = bytes.subarray(this.#keyStart, Math.min(end, this.#keyStart + most));
    this.#keyHead = Buffer.concat([this.#keyHead, rest]).subarray(0, most);
  }
}

function isAt(bytes: Buffer, start: number, length: number, name: Buffer): boolean {
  if (length !== name.length) return false;
  for (let at = 0; at < length; at += 1) if (bytes[start + at] !== name[at]) return false;
  return true;
}
