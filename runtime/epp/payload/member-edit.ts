import type { ByteSpan } from "./byte-span.ts";
import { skipSpace, skipSpaceBack } from "./json-scanner.ts";

/** A replacement for the bytes of a span. */
export interface Edit extends ByteSpan {
  readonly text: string;
}

/** A member of an object: from its key's opening quote to the end of its value. */
export interface MemberPosition {
  readonly keyStart: number;
  readonly end: number;
}

const comma = 0x2c;

/**
 * Returns the edits that remove members. Adjacent members are cut together, each with a comma, so that the rest is
 * valid JSON.
 *
 * @param members in the order of the bytes
 */
export function cutsOf(body: Buffer, members: readonly MemberPosition[]): Edit[] {
  const cuts: Edit[] = [];
  for (let at = 0; at < members.length; ) {
    const { keyStart: start } = members[at] as MemberPosition;
    let end: number;
    let next: number;
    do {
      ({ end } = members[at] as MemberPosition);
      next = skipSpace(body, end);
      at += 1;
    } while (body[next] === comma && members[at]?.keyStart === skipSpace(body, next + 1));
    if (body[next] === comma) cuts.push({ start, end: next + 1, text: "" });
    else {
      const before = skipSpaceBack(body, start);
      cuts.push({ start: body[before - 1] === comma ? before - 1 : start, end, text: "" });
    }
  }
  return cuts;
}

/** Applies edits that do not overlap. */
export function spliced(body: Buffer, edits: readonly Edit[]): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  for (const { start, end, text } of edits.toSorted((one, other) => one.start - other.start)) {
    parts.push(body.subarray(at, start), Buffer.from(text));
    at = end;
  }
  parts.push(body.subarray(at));
  return Buffer.concat(parts);
}
