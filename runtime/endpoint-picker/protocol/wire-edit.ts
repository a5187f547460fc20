import { WireReader, wireType } from "./wire-reader.ts";

/**
 * What becomes of a field: its content, as it came or another; undefined leaves the field out. Of a field that is no
 * bytes the content is what stands there, and only whether it is answered counts.
 */
export type FieldEdit = (field: number, content: Buffer) => Buffer | undefined;

/** A protobuf message with its fields edited one by one; the message itself where nothing changed. */
export function editMessage(message: Buffer, edit: FieldEdit): Buffer {
  const reader = new WireReader(message);
  const parts: Buffer[] = [];
  let changed = false;
  while (reader.more) {
    const start = reader.position;
    const tag = reader.tag();
    const isBytes = (tag & 7) === wireType.bytes;
    const content = isBytes ? reader.slice() : Buffer.alloc(0);
    if (!isBytes) reader.skip(tag);
    const whole = message.subarray(start, reader.position);
    const edited = edit(tag >>> 3, isBytes ? content : whole);
    if (edited === (isBytes ? content : whole)) parts.push(whole);
    else {
      changed = true;
      if (edited !== undefined) parts.push(varint(tag), varint(edited.length), edited);
    }
  }
  return changed ? Buffer.concat(parts) : message;
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
}
