import { isUtf8 } from "node:buffer";
import { RequestError } from "../../../scheduling/requests/request-error.ts";
import { limits } from "../../limits.ts";
import type { EngineField } from "./engine-fields.ts";
import { type HeadBudget, jsonHead } from "./json-head.ts";
import {
  JsonError,
  type JsonMember,
  JsonScanner,
  MemberNames,
  type ScannedObject,
  skipSpace,
} from "./json-scanner.ts";
import { tokenizeMembers } from "./tokenize-members.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns a string unchanged, and an empty string for any other value. */
export const stringOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** Members of a request's body that the picker reads. */
const read = new MemberNames([
  ...["model", "stream", "cache_salt"],
  ...["prompt", "messages", "system", "tools", "input", "instructions", "items", "token_ids"],
  ...tokenizeMembers.completions,
  ...tokenizeMembers.chat,
  ...["prompt_embeds", "previous_response_id", "conversation", "request_id", "store"],
]);

/** Parses a body that should be a JSON object while it arrives, so that a piece costs no more than its own length. */
export class JsonReader {
  readonly #scanner = new JsonScanner(read);
  #read = 0;

  get bytesRead(): number {
    return this.#read;
  }

  /**
   * @param bytes the body so far
   * @param most largest number of bytes to parse now; default all
   * @throws RequestError BadRequest as soon as the bytes cannot become JSON
   */
  push(bytes: Buffer, most: number = Number.POSITIVE_INFINITY): void {
    const to = Math.min(bytes.length, this.#read + most);
    try {
      this.#scanner.scan(bytes, this.#read, to);
    } catch (error) {
      throw refusalOf(error);
    }
    this.#read = to;
  }

  /**
   * @param bytes the whole body
   * @throws RequestError BadRequest if the bytes are not UTF-8, not JSON or not an object
   */
  end(bytes: Buffer): JsonBody {
    this.push(bytes);
    if (!isUtf8(bytes)) throw malformed("it is not valid UTF-8");
    try {
      return new JsonBody(bytes, this.#scanner.end());
    } catch (error) {
      throw refusalOf(error);
    }
  }
}

const refusalOf = (error: unknown) =>
  error instanceof JsonError ? malformed(error.message) : error;

/** A body as a JSON object. If a name occurs twice, the last value counts, as in JSON.parse. */
export class JsonBody {
  readonly bytes: Buffer;
  readonly members: readonly JsonMember[];
  readonly engineFields: readonly EngineField[];
  readonly #values = new Map<JsonMember, unknown>();
  #bytesLeftOut = 0;

  /** @param found the members of `bytes`, which is valid JSON */
  constructor(bytes: Buffer, { members, engineFields }: ScannedObject) {
    this.bytes = bytes;
    this.members = members;
    this.engineFields = engineFields;
  }

  /** Bytes of requested values that exceeded the budget and were not read. */
  get bytesLeftOut(): number {
    return this.#bytesLeftOut;
  }

  has(name: string): boolean {
    return this.member(name) !== undefined;
  }

  member(name: string): JsonMember | undefined {
    return this.members.findLast((member) => member.name === name);
  }

  /** Whether the member exists and is not null. */
  isGiven(name: string): boolean {
    const member = this.member(name);
    return member !== undefined && this.bytes[member.start] !== firstOfNull;
  }

  /** Returns the value of a member, parsed on first use. If the value exceeds the budget, returns its first part. */
  value(name: string): unknown {
    const member = this.member(name);
    if (member === undefined) return undefined;
    const known = this.#values.get(member);
    if (known !== undefined) return known;
    const value = this.#parse(member);
    this.#values.set(member, value);
    return value;
  }

  /**
   * Returns a member as text: the content of a string, or the JSON of another value up to the budget. Empty if the
   * member is an empty list, null or missing.
   */
  text(name: string): string {
    const member = this.member(name);
    if (member === undefined) return "";
    const { start, end } = member;
    if (this.bytes[start] === quote) return this.value(name) as string;
    const last = Math.min(end, start + budget.bytes);
    this.#bytesLeftOut += end - last;
    const json = this.bytes.toString("utf8", start, last);
    return json === "null" || isEmptyList(json) ? "" : json;
  }

  /** Whether the member exists and is `true`. */
  isTrue(name: string): boolean {
    const member = this.member(name);
    return member !== undefined && this.bytes[member.start] === firstOfTrue;
  }

  /** Whether the member exists and is a string that is not empty. */
  isFilledText(name: string): boolean {
    const member = this.member(name);
    return (
      member !== undefined && this.bytes[member.start] === quote && member.end - member.start > 2
    );
  }

  /** Whether the member exists and is a list that is not empty. */
  isFilledList(name: string): boolean {
    const member = this.member(name);
    if (member === undefined || this.bytes[member.start] !== openBracket) return false;
    return skipSpace(this.bytes, member.start + 1) < member.end - 1;
  }

  #parse(member: JsonMember): unknown {
    const { start, end, values } = member;
    const text = (from: number, to: number) => this.bytes.toString("utf8", from, to);
    const isLong = end - start > budget.bytes && !isNumber(this.bytes[start] as number);
    if (values >= budget.values || isLong) {
      const head = jsonHead(this.bytes, member, budget);
      this.#bytesLeftOut += head.bytesLeftOut;
      return JSON.parse(head.text);
    }
    if (this.bytes[start] !== quote) return JSON.parse(text(start, end));
    const content = text(start + 1, end - 1);
    return content.includes("\\") ? JSON.parse(`"${content}"`) : content;
  }
}

/** Largest part of a member that is read. */
const budget: HeadBudget = { values: limits.promptValues.value, bytes: limits.promptBytes.value };

const quote = 0x22;
const firstOfNull = 0x6e;
const firstOfTrue = 0x74;
const openBracket = 0x5b;
const isNumber = (first: number) => first === minus || (first >= digit0 && first <= digit9);
const minus = 0x2d;
const digit0 = 0x30;
const digit9 = 0x39;
const isEmptyList = (json: string) => json.startsWith("[") && json.slice(1, -1).trim() === "";

const malformed = (problem: string) =>
  new RequestError("BadRequest", `error unmarshaling request bodyMap: ${problem}`);

/** Returns the kind of a JSON value, as a phrase for messages. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : `a ${typeof value}`;
}
