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

/** Members that a request to an engine sets or removes. */
const legFields = new MemberNames([
  ...["messages", "stream", "stream_options", "sampling_params"],
  ...["max_tokens", "max_completion_tokens", "max_output_tokens", "min_tokens"],
]);

/** JSON values of an object's members, by name. */
export type Members = Readonly<Record<string, string | Buffer>>;

/**
 * The JSON of a client's request. Requests to engines are derived from it by removing and adding members; all other
 * bytes stay as the client sent them. Members that only infrastructure may set are always removed.
 */
export class RequestBody {
  readonly #bytes: Buffer;
  readonly #found: ScannedObject;
  readonly #carried: Members;

  /** @param carried members added to every derived request */
  constructor(bytes: Buffer, found: ScannedObject, carried: Members = {}) {
    this.#bytes = bytes;
    this.#found = found;
    this.#carried = carried;
  }

  /** @throws JsonError if the bytes are not a JSON object in UTF-8 */
  static read(bytes: Buffer): RequestBody {
    return new RequestBodyReader().end(bytes);
  }

  /** Returns a copy that adds these infrastructure members to every derived request. */
  carrying(members: Members): RequestBody {
    return new RequestBody(this.#bytes, this.#found, members);
  }

  /** The client's request without infrastructure members; the original buffer if nothing is removed or added. */
  get plain(): Buffer {
    return withMembers(this.#without(this.#found.engineFields), this.#carried);
  }

  /**
   * Returns the body with these members, which replace members of the same names.
   *
   * @param left names of members to remove
   */
  with(members: Members, left: readonly string[] = []): Buffer {
    const { members: found, engineFields } = this.#found;
    const out = new Set([...Object.keys(members), ...left]);
    const cuts = [...found.filter(({ name }) => out.has(name)), ...engineFields];
    return withMembers(this.#without(cuts), { ...this.#carried, ...members });
  }

  /** Returns the JSON of a member of `plain`. If a name is repeated, the last value counts. */
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
    // A member inside a removed member needs no cut of its own.
    let end = 0;
    const outermost = inOrder.filter((member) => {
      const isInner = member.keyStart < end;
      end = Math.max(end, member.end);
      return !isInner;
    });
    return spliced(this.#bytes, cutsOf(this.#bytes, outermost));
  }
}

/** Parses a body incrementally. */
export class RequestBodyReader {
  readonly #scanner = new JsonScanner(legFields);
  #read = 0;

  /**
   * @param bytes the body so far
   * @throws JsonError as soon as the body cannot be a JSON object
   */
  push(bytes: Buffer): void {
    this.#scanner.scan(bytes, this.#read, bytes.length);
    this.#read = bytes.length;
  }

  /**
   * @param bytes the whole body
   * @throws JsonError if it is not a JSON object in UTF-8
   */
  end(bytes: Buffer): RequestBody {
    this.push(bytes);
    if (!isUtf8(bytes)) throw new JsonError("it is not valid UTF-8");
    return new RequestBody(bytes, this.#scanner.end());
  }
}

const closeBrace = 0x7d;

/** Inserts members before the existing members of an object. */
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
