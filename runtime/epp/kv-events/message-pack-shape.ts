/**
 * Maximum nesting of lists and maps: batch, events, event, extra keys, keys of a block, keys of an image; plus 2 spare.
 */
const deepest = 8;
/** Maximum members of a map; an event of vLLM has 12. */
const mostMembers = 64;
/** Strings, lists and maps that are allowed in addition to one per 4 bytes. A real event has more bytes per part. */
const spare = 1_024;

/**
 * Encoding that follows the first byte of a value: size of its length field, further bytes, and values per unit of
 * length.
 */
type Head = readonly [lengthBytes: number, bytes: number, values: 0 | 1 | 2];

const integer = (bytes: number): Head => [0, bytes, 0];
const text = (lengthBytes: number, bytes = 0): Head => [lengthBytes, bytes, 0];

/** Heads of the bytes 0xc0 to 0xdf; undefined for a byte that starts no value. */
const heads: ReadonlyArray<Head | undefined> = [
  ...[integer(0), undefined, integer(0), integer(0)],
  ...[text(1), text(2), text(4)],
  // Extensions have a type after their length.
  ...[text(1, 1), text(2, 1), text(4, 1)],
  ...[integer(4), integer(8)],
  ...[integer(1), integer(2), integer(4), integer(8)],
  ...[integer(1), integer(2), integer(4), integer(8)],
  ...[integer(2), integer(3), integer(5), integer(9), integer(17)],
  ...[text(1), text(2), text(4)],
  ...([2, 4].map((lengthBytes) => [lengthBytes, 0, 1]) as Head[]),
  ...([2, 4].map((lengthBytes) => [lengthBytes, 0, 2]) as Head[]),
];

/**
 * Returns a problem of MessagePack data before it is decoded, or undefined. A list of 4 billion elements can be
 * declared in 5 bytes, and each nested list costs a decoder more than its byte. The cost of decoding data that passes
 * this check is a small multiple of the data's size.
 */
export function shapeProblem(bytes: Uint8Array): string | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = bytes.length;
  /** Remaining values of each open list or map. */
  const open: number[] = [];
  let left = 1;
  let values = 1;
  let parts = spare + end / 4;
  let at = 0;
  for (;;) {
    while (left === 0) {
      const outer = open.pop();
      if (outer === undefined && at === end) return undefined;
      if (outer === undefined) return at > end ? "it ends too early" : "bytes follow it";
      left = outer;
    }
    if (at >= end) return "it ends too early";
    left -= 1;
    const first = bytes[at] as number;
    at += 1;
    if (first < 0x80 || first >= 0xe0) continue;
    let length = first & 0x1f;
    let each = 0;
    if (first < 0xa0) {
      length = first & 0x0f;
      each = first < 0x90 ? 2 : 1;
    } else if (first >= 0xc0) {
      const head = heads[first - 0xc0];
      if (head === undefined) return "a byte does not start a value";
      const [lengthBytes, more, valuesEach] = head;
      if (at + lengthBytes > end) return "it ends too early";
      length = lengthBytes === 0 ? 0 : lengthAt(view, at, lengthBytes);
      at += lengthBytes + more;
      each = valuesEach;
      // Numbers have no length field.
      if (lengthBytes === 0) continue;
    }
    parts -= 1;
    if (parts < 0) return "it has too many parts for its length";
    if (each === 0) {
      at += length;
      continue;
    }
    if (each === 2 && length > mostMembers) return `a map has more than ${mostMembers} members`;
    values += each * length;
    if (values > end) return "it declares more elements than it contains";
    if (open.length === deepest) return `it is nested more than ${deepest} deep`;
    open.push(left);
    left = each * length;
  }
}

function lengthAt(view: DataView, at: number, bytes: number): number {
  if (bytes === 1) return view.getUint8(at);
  return bytes === 2 ? view.getUint16(at) : view.getUint32(at);
}
