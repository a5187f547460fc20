import { limits } from "../../limits.ts";
import type { ByteSpan } from "./byte-span.ts";
import {
  type EngineField,
  type EngineFieldRole,
  engineFieldPrefix,
  engineFieldRoles,
} from "./engine-fields.ts";
import { action, firstAction, jsonStates, state } from "./json-states.ts";

/**
 * A member of the outermost object of a JSON text: position of its value, and the approximate number of values in it.
 */
export interface JsonMember extends ByteSpan {
  readonly name: string;
  /** Offset of its key's opening quote. */
  readonly keyStart: number;
  /** Number of commas and opening brackets in it; 0 for a string. */
  readonly values: number;
}

/** Members and engine fields of a JSON text in their order, repeated names included. */
export interface ScannedObject {
  readonly members: readonly JsonMember[];
  readonly engineFields: readonly EngineField[];
}

/** Bytes that are not the JSON of an object. */
export class JsonError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "JsonError";
  }
}

/** Names of the members to find. */
export class MemberNames {
  readonly shortest: number;
  /** Longest key, in bytes. A key may be written in escapes, with six bytes per character. */
  readonly longest: number;
  readonly #read: ReadonlySet<string>;

  /** @param names members of the outermost object whose values are read */
  constructor(names: readonly string[]) {
    this.#read = new Set(names);
    const lengths = [...names, ...engineFields.keys()].map(({ length }) => length);
    this.shortest = Math.min(...lengths);
    this.longest = 6 * Math.max(...lengths);
  }

  isRead(name: string): boolean {
    return this.#read.has(name);
  }
}

const engineFields: ReadonlyMap<string, EngineFieldRole> = new Map(engineFieldRoles);

const engineRoleOf = (name: string): EngineFieldRole | undefined =>
  engineFields.get(name) ?? (name.startsWith(engineFieldPrefix) ? "engine" : undefined);

const backslash = 0x5c;

/** Offsets of the last key and of its value. */
interface KeyPosition {
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly valueStart: number;
  readonly valuesBefore: number;
}

/**
 * Parses the JSON of an object piece by piece while it arrives. Refuses the same bytes as JSON.parse, and returns the
 * positions of given members and of engine fields. Builds no values, so that every byte costs the same and a piece
 * costs no more than its length.
 */
export class JsonScanner {
  readonly #names: MemberNames;
  readonly #members: JsonMember[] = [];
  readonly #engineFields: EngineField[] = [];
  /** Keys of the open objects that may contain engine fields, the outermost first. */
  readonly #holders: KeyPosition[] = [];
  #state: number = state.start;
  #depth = 0;
  /** Depth of the object whose keys are read: 1, or more in an object that may contain engine fields. */
  #keyDepth = 1;
  /** Whether the open value at each depth is an object. */
  readonly #isObject: boolean[] = [];
  #values = 0;
  #keyStart = 0;
  #keyEnd = 0;
  #valueStart = 0;
  #valuesBefore = 0;

  constructor(names: MemberNames) {
    this.#names = names;
  }

  /**
   * Parses the bytes from `from` to before `to`. The bytes before `from` are the bytes parsed so far.
   * @throws JsonError
   */
  scan(bytes: Buffer, from: number, to: number): void {
    const table = jsonStates;
    const text = new PlainText(bytes, from, to);
    let current = this.#state;
    for (let at = from; at < to; at += 1) {
      current = table[(current << 8) | (bytes[at] as number)] as number;
      if (current === state.text) at = text.end(at + 1) - 1;
      else if (current >= firstAction) current = this.#act(current, bytes, at);
      else if (current === state.wrong) throw wrongAt(bytes, at);
    }
    this.#state = current;
  }

  /** @throws JsonError if the text is not complete */
  end(): ScannedObject {
    if (this.#state !== state.done) throw new JsonError("it ends before the object does");
    return { members: this.#members, engineFields: this.#engineFields };
  }

  /** Returns the state that follows. */
  #act(kind: number, bytes: Buffer, at: number): number {
    switch (kind) {
      case action.openObject:
        if (this.#depth === this.#keyDepth && this.#isHolder(bytes)) this.#enterHolder();
        this.#open(true);
        return state.firstKey;
      case action.openList:
        this.#open(false);
        return state.firstItem;
      case action.closeObject:
      case action.closeList:
        return this.#close(kind === action.closeObject, bytes, at);
      case action.comma:
        this.#values += 1;
        if (this.#depth === this.#keyDepth) this.#endMember(bytes, at);
        return this.#isObject[this.#depth] ? state.key : state.value;
      case action.colon:
        if (this.#depth === this.#keyDepth) {
          this.#valueStart = at + 1;
          this.#valuesBefore = this.#values;
        }
        return state.value;
      case action.startKey:
        if (this.#depth === this.#keyDepth) this.#keyStart = at + 1;
        return state.keyText;
      default:
        if (this.#depth === this.#keyDepth) this.#keyEnd = at;
        return state.colon;
    }
  }

  #open(isObject: boolean): void {
    this.#values += 1;
    this.#depth += 1;
    if (this.#depth > limits.jsonDepth.value)
      throw new JsonError(`it is nested more than ${limits.jsonDepth.value} deep`);
    this.#isObject[this.#depth] = isObject;
    if (this.#depth === this.#keyDepth) this.#valueStart = 0;
  }

  #close(isObject: boolean, bytes: Buffer, at: number): number {
    if (this.#isObject[this.#depth] !== isObject) throw wrongAt(bytes, at);
    // An empty object has no member.
    if (this.#depth === this.#keyDepth && this.#valueStart > 0) this.#endMember(bytes, at);
    if (this.#depth === this.#keyDepth && this.#depth > 1) this.#leaveHolder();
    this.#depth -= 1;
    return this.#depth > 0 ? state.after : state.done;
  }

  #enterHolder(): void {
    this.#keyDepth += 1;
    this.#holders.push({
      keyStart: this.#keyStart,
      keyEnd: this.#keyEnd,
      valueStart: this.#valueStart,
      valuesBefore: this.#valuesBefore,
    });
  }

  /** Restores the position of the member that contains the object; that member has not ended yet. */
  #leaveHolder(): void {
    const position = this.#holders.pop() as KeyPosition;
    this.#keyDepth -= 1;
    this.#keyStart = position.keyStart;
    this.#keyEnd = position.keyEnd;
    this.#valueStart = position.valueStart;
    this.#valuesBefore = position.valuesBefore;
  }

  #endMember(bytes: Buffer, end: number): void {
    const name = this.#nameOfKey(bytes);
    if (name === undefined) return;
    const isEngineField = engineRoleOf(name) === "engine";
    if (!isEngineField && (this.#depth > 1 || !this.#names.isRead(name))) return;
    const position = {
      name,
      keyStart: this.#keyStart - 1,
      start: skipSpace(bytes, this.#valueStart),
      end: skipSpaceBack(bytes, end),
    };
    if (isEngineField) this.#addEngineField(position);
    else this.#addMember({ ...position, values: this.#values - this.#valuesBefore });
  }

  #addMember(member: JsonMember): void {
    const most = limits.readMembers.value;
    if (this.#members.length === most)
      throw new JsonError(`it has more than ${most} members that are read, such as ${member.name}`);
    this.#members.push(member);
  }

  #addEngineField(field: EngineField): void {
    const most = limits.engineFields.value;
    if (this.#engineFields.length === most)
      throw new JsonError(`it has more than ${most} fields that clients may not set`);
    this.#engineFields.push(field);
  }

  #isHolder(bytes: Buffer): boolean {
    const name = this.#nameOfKey(bytes);
    return name !== undefined && engineRoleOf(name) === "holder";
  }

  /** Returns the last key; undefined if its length is the length of none of the names to read. */
  #nameOfKey(bytes: Buffer): string | undefined {
    const length = this.#keyEnd - this.#keyStart;
    if (length < this.#names.shortest || length > this.#names.longest) return undefined;
    const text = bytes.toString("latin1", this.#keyStart, this.#keyEnd);
    if (!text.includes("\\")) return text;
    return JSON.parse(`"${bytes.toString("utf8", this.#keyStart, this.#keyEnd)}"`) as string;
  }
}

/**
 * Most bytes of a body are in strings. Long strings are skipped word by word, since few bytes end or change a string.
 * The view of the words is created once per piece, because creating it takes about as long as parsing 30 bytes.
 */
class PlainText {
  readonly #bytes: Buffer;
  readonly #to: number;
  readonly #words: Int32Array;
  /** Index of the first byte of the words. */
  readonly #start: number;

  constructor(bytes: Buffer, from: number, to: number) {
    const { buffer, byteOffset } = bytes;
    const first = (byteOffset + from + 3) >> 2;
    const last = (byteOffset + to) >> 2;
    this.#bytes = bytes;
    this.#to = to;
    this.#words = to - from < longText ? none : new Int32Array(buffer, first << 2, last - first);
    this.#start = (first << 2) - byteOffset;
  }

  /** Returns the index of the first byte from `from` on that may end or change a string. */
  end(from: number): number {
    const bytes = this.#bytes;
    const to = this.#to;
    let at = from;
    if (this.#words.length > 0) {
      const word = (at - this.#start + 3) >> 2;
      const aligned = Math.min(to, this.#start + (word << 2));
      while (at < aligned && isPlain(bytes[at] as number)) at += 1;
      if (at < aligned) return at;
      if (at < to) at = this.#start + (endOfPlainWords(this.#words, word) << 2);
    }
    while (at < to && isPlain(bytes[at] as number)) at += 1;
    return at;
  }
}

const longText = 256;
const none = new Int32Array(0);

const isPlain = (byte: number) => jsonStates[(state.text << 8) | byte] === state.text;

/**
 * Returns the index of the first word from `from` on that may contain a quote, a backslash or a control character.
 * Tests all bytes of a word in one operation.
 */
function endOfPlainWords(words: Int32Array, from: number): number {
  for (let at = from; at < words.length; at += 1) {
    const word = words[at] as number;
    const quotes = word ^ 0x22222222;
    const backslashes = word ^ 0x5c5c5c5c;
    const found =
      ((quotes - 0x01010101) & ~quotes) |
      ((backslashes - 0x01010101) & ~backslashes) |
      ((word - 0x20202020) & ~word);
    if ((found & 0x80808080) !== 0) return at;
  }
  return words.length;
}

function wrongAt(bytes: Buffer, at: number): JsonError {
  const byte = bytes[at] as number;
  const shown =
    byte > 0x20 && byte < 0x7f && byte !== backslash
      ? `"${String.fromCharCode(byte)}"`
      : `byte 0x${byte.toString(16).padStart(2, "0")}`;
  return new JsonError(`unexpected ${shown} at position ${at}`);
}

const isSpace = (byte: number | undefined) =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

export function skipSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (isSpace(bytes[at])) at += 1;
  return at;
}

/** A value must precede the spaces. */
export function skipSpaceBack(bytes: Buffer, end: number): number {
  let at = end;
  while (isSpace(bytes[at - 1])) at -= 1;
  return at;
}
