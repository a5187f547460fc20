import { isUtf8 } from "node:buffer";
import {
  JsonError,
  type JsonMember,
  JsonScanner,
  MemberNames,
  type ScannedObject,
  skipSpace,
} from "../../epp/payload/json-scanner.ts";
import { cutsOf, type MemberPosition, spliced } from "../../epp/payload/member-edit.ts";

/** Members that a leg sets or leaves out. */
const legFields = new MemberNames([
  ...["messages", "stream", "stream_options", "sampling_params"],
  ...["max_tokens", "max_completion_tokens", "max_output_tokens", "min_tokens"],
]);

/** Members of an object by name, each the JSON of its value. */
export type Members = Readonly<Record<string, string | Buffer>>;

/**
 * The JSON of a request, of which other requests are made by cutting members out and putting others in: every other byte
 * stays as the client sent it. Members that only infrastructure may set are always cut out.
 */
export class RequestBody {
  readonly #bytes: Buffer;
  readonly #found: ScannedObject;
  readonly #carried: Members;

  /** @param carried members of every request that is made of it */
  constructor(bytes: Buffer, found: ScannedObject, carried: Members = {}) {
    this.#bytes = bytes;
    this.#found = found;
    this.#carried = carried;
  }

  /** @throws JsonError where the bytes are not UTF-8, not JSON or not an object */
  static read(bytes: Buffer): RequestBody {
    return new RequestBodyReader().end(bytes);
  }

  /** The same with members that infrastructure sets, in all requests that are made of it. */
  carrying(members: Members): RequestBody {
    return new RequestBody(this.#bytes, this.#found, members);
  }

  /** What the client asked for: the same buffer where nothing is cut out and nothing is carried. */
  get plain(): Buffer {
    return withMembers(this.#without(this.#found.engineFields), this.#carried);
  }

  /**
   * The body with these members, in place of those of the same names.
   *
   * @param left names of members that are left out
   */
  with(members: Members, left: readonly string[] = []): Buffer {
    const { members: found, engineFields } = this.#found;
    const out = new Set([...Object.keys(members), ...left]);
    const cuts = [...found.filter(({ name }) => out.has(name)), ...engineFields];
    return withMembers(this.#without(cuts), { ...this.#carried, ...members });
  }

  /** The JSON of a member of `plain`; of several equal names the last counts. */
  value(name: string): Buffer | undefined {
    if (this.#found.engineFields.length > 0) return RequestBody.read(this.plain).value(name);
    const member: JsonMember | undefined = this.#found.members.findLast(
      (member) => member.name === name,
    );
    return member && this.#bytes.subarray(member.start, member.end);
  }

  #without(members: readonly MemberPosition[]): Buffer {
    if (members.length === 0) return this.#bytes;
    const inOrder = members.toSorted((one, other) => one.keyStart - other.keyStart);
    // What stands in a member that is cut goes with it.
    let end = 0;
    const outermost = inOrder.filter((member) => {
      const isInner = member.keyStart < end;
      end = Math.max(end, member.end);
      return !isInner;
    });
    return spliced(this.#bytes, cutsOf(this.#bytes, outermost));
  }
}

/** Reads a body that comes in pieces. */
export class RequestBodyReader {
  readonly #scanner = new JsonScanner(legFields);
  #read = 0;

  /**
   * @param bytes the body so far
   * @throws JsonError as soon as no object can come of it
   */
  push(bytes: Buffer): void {
    this.#scanner.scan(bytes, this.#read, bytes.length);
    this.#read = bytes.length;
  }

  /**
   * @param bytes the whole body
   * @throws JsonError where it is not UTF-8, not JSON or not an object
   */
  end(bytes: Buffer): RequestBody {
    this.push(bytes);
    if (!isUtf8(bytes)) throw new JsonError("it is not valid UTF-8");
    return new RequestBody(bytes, this.#scanner.end());
  }
}

const closeBrace = 0x7d;

/** An object with more members, before those that it has. */
function withMembers(object: Buffer, members: Members): Buffer {
  if (Object.keys(members).length === 0) return object;
  const open = object.indexOf("{") + 1;
  const isEmpty = object[skipSpace(object, open)] === closeBrace;
  const parts: Uint8Array[] = [object.subarray(0, open)];
  for (const [name, json] of Object.entries(members)) {
    const separator = parts.length > 1 ? "," : "";
    parts.push(Buffer.from(`${separator}${JSON.stringify(name)}:`), Buffer.from(json));
  }
  if (!isEmpty) parts.push(Buffer.from(","));
  return Buffer.concat([...parts, object.subarray(open)]);
}
