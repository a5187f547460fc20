import { WireReader, wireType } from "./wire-reader.ts";

/**
 * What becomes of a field: its content, as it came or another; undefined leaves the field out. A field that does not
 * hold bytes has no content, and stays as it came unless it is left out.
 */
export type FieldEdit = (field: number, content: Buffer) => Buffer | undefined;

const nothing: Buffer = Buffer.alloc(0);

/** A protobuf message with its fields edited one by one; the message itself where nothing changed. */
export function editMessage(message: Buffer, edit: FieldEdit): Buffer {
  const reader = new WireReader(message);
  const parts: Buffer[] = [];
  let changed = false;
  while (reader.more) {
    const start = reader.position;
    const tag = reader.tag();
    const isBytes = (tag & 7) === wireType.bytes;
    const content = isBytes ? reader.slice() : nothing;
    if (!isBytes) reader.skip(tag);
    const edited = edit(tag >>> 3, content);
    const stays = edited === content || (edited !== undefined && !isBytes);
    if (stays) parts.push(message.subarray(start, reader.position));
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
