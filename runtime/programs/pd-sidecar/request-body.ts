import { isUtf8 } from "node:buffer";
import {
  JsonError,
  type JsonMember,
  JsonScanner,
  MemberNames,
} from "../../endpoint-picker/payload/json-scanner.ts";

/** Members of requests that tell engines where a KV cache lies: only a sidecar may set them. */
const engineFields = [
  ...["kv_transfer_params", "ec_transfer_params", "cache_hit_threshold"],
  ...["bootstrap_host", "bootstrap_port", "bootstrap_room"],
] as const;

/** Members that a leg sets or leaves out. */
const legFields = [
  ...["stream", "stream_options", "sampling_params"],
  ...["max_tokens", "max_completion_tokens", "max_output_tokens", "min_tokens"],
] as const;

const read = new MemberNames([...engineFields, ...legFields]);

/** A member of a request that a leg sets, with its JSON. */
export type Members = Readonly<Record<string, string | Buffer>>;

/**
 * The JSON of a request, of which other requests are made by cutting members out and putting others in: every other byte
 * stays as the client sent it.
 */
export class RequestBody {
  readonly #bytes: Buffer;
  readonly #members: readonly JsonMember[];

  private constructor(bytes: Buffer, members: readonly JsonMember[]) {
    this.#bytes = bytes;
    this.#members = members;
  }

  /** @throws JsonError where the bytes are not UTF-8, not JSON or not an object */
  static read(bytes: Buffer): RequestBody {
    const scanner = new JsonScanner(read);
    scanner.scan(bytes, 0, bytes.length);
    if (!isUtf8(bytes)) throw new JsonError("it is not valid UTF-8");
    return new RequestBody(bytes, scanner.end());
  }

  /** The bytes without the members that only infrastructure may set: the same buffer where there are none. */
  get plain(): Buffer {
    return this.with({});
  }

  /**
   * The body with these members, in place of those of the same names.
   *
   * @param without names of members that are left out
   */
  with(members: Members, without: readonly string[] = []): Buffer {
    const out = new Set<string>([...engineFields, ...without, ...Object.keys(members)]);
    return edited(
      this.#bytes,
      this.#members.filter(({ name }) => out.has(name)),
      members,
    );
  }

  /** The JSON of a member's value; of several equal names the last counts. */
  value(name: string): Buffer | undefined {
    const member = this.#members.findLast((member) => member.name === name);
    return member && this.#bytes.subarray(member.start, member.end);
  }
}

const comma = 0x2c;
const closeBrace = 0x7d;

/** @param cuts members of the object, in their order */
function edited(bytes: Buffer, cuts: readonly JsonMember[], members: Members): Buffer {
  const added = Object.entries(members);
  if (cuts.length === 0 && added.length === 0) return bytes;
  const open = bytes.indexOf("{") + 1;
  const kept = without(bytes, open, cuts);
  const parts: Uint8Array[] = [bytes.subarray(0, open)];
  const isEmpty = firstOf(kept) === closeBrace;
  for (const [at, [name, json]] of added.entries()) {
    const last = isEmpty && at === added.length - 1;
    parts.push(Buffer.from(`${JSON.stringify(name)}:`), Buffer.from(json));
    if (!last) parts.push(Buffer.of(comma));
  }
  return Buffer.concat([...parts, ...kept]);
}

/** What is left behind the opening brace. */
function without(bytes: Buffer, open: number, cuts: readonly JsonMember[]): Buffer[] {
  const parts: Buffer[] = [];
  let at = open;
  for (const { keyStart, end } of cuts) {
    parts.push(bytes.subarray(at, keyStart));
    const next = skipSpace(bytes, end);
    at = bytes[next] === comma ? next + 1 : next;
  }
  // Where the last member was cut, the comma before it goes too.
  if (bytes[at] === closeBrace) dropLastComma(parts);
  parts.push(bytes.subarray(at));
  return parts;
}

function dropLastComma(parts: Buffer[]): void {
  for (let at = parts.length - 1; at >= 0; at -= 1) {
    const part = parts[at] as Buffer;
    const length = lengthWithoutSpace(part);
    if (length === 0) continue;
    if (part[length - 1] === comma) parts[at] = part.subarray(0, length - 1);
    return;
  }
}

const isSpace = (byte: number | undefined) =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

function skipSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (isSpace(bytes[at])) at += 1;
  return at;
}

function lengthWithoutSpace(bytes: Buffer): number {
  let length = bytes.length;
  while (length > 0 && isSpace(bytes[length - 1])) length -= 1;
  return length;
}

function firstOf(parts: readonly Buffer[]): number | undefined {
  for (const part of parts) {
    const at = skipSpace(part, 0);
    if (at < part.length) return part[at];
  }
  return undefined;
}
