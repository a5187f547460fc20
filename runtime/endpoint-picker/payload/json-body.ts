import { isUtf8 } from "node:buffer";
import { RequestError } from "../request-error.ts";
import { type JsonMember, jsonMembers } from "./json-members.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A string as it is, and nothing for every other value. */
export const stringOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** A request's body read as a JSON object. Where a key came twice, the last value counts. */
export class JsonBody {
  readonly bytes: Buffer;
  readonly fields: JsonObject;
  #members: readonly JsonMember[] | undefined;

  /** @throws RequestError BadRequest where the bytes are not UTF-8, not JSON or not an object. */
  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.fields = parseObject(bytes);
  }

  /** Read when they are first asked for: most requests never need them. */
  get members(): readonly JsonMember[] {
    this.#members ??= jsonMembers(this.bytes);
    return this.#members;
  }

  /** A field as text: a string's content, the JSON of what has content, nothing for an empty list, null or none. */
  text(key: string): string {
    const value = this.fields[key];
    if (typeof value === "string") return value;
    if (value === undefined || value === null || isEmptyList(value)) return "";
    const member = this.members.findLast((other) => other.key === key);
    return member === undefined ? "" : this.bytes.toString("utf8", member.start, member.end);
  }
}

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;

function parseObject(bytes: Buffer): JsonObject {
  if (!isUtf8(bytes)) throw malformed("it is not valid UTF-8");
  const value = parse(bytes);
  if (!isObject(value)) throw malformed(`it must be an object, got ${kindOf(value)}`);
  return value;
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch (error) {
    throw malformed((error as Error).message, error);
  }
}

const malformed = (problem: string, cause?: unknown) =>
  new RequestError("BadRequest", `error unmarshaling request bodyMap: ${problem}`, { cause });

/** What a JSON value is, in words for messages. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : `a ${typeof value}`;
}
