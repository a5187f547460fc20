import { WireReader, wireType } from "./wire-reader.ts";

/**
 * Returns the content of a field: the given content, other bytes, or undefined to remove the field. A field of another
 * wire type than bytes has empty content, and stays unchanged unless it is removed.
 */
export type FieldEdit = (field: number, content: Buffer) => Buffer | undefined;

const nothing: Buffer = Buffer.alloc(0);

/** Edits the fields of a protobuf message one by one. Returns the message itself if nothing changed. */
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
