import { limits } from "../../limits.ts";
import { WireError, type WireReader, wireType } from "./wire-reader.ts";
import type { WireWriter } from "./wire-writer.ts";

/** google.protobuf.Struct and Value as JSON. */
export type StructValue = null | number | string | boolean | StructValue[] | Struct;
export interface Struct {
  [key: string]: StructValue;
}

/** Deeper nesting than any proxy uses. The limit protects the stack. */
const maxDepth = 32;

const valueField = { null: 1, number: 2, string: 3, bool: 4, struct: 5, list: 6 } as const;

/** Approximate memory of a value in addition to its content, in bytes. */
const valueBytes = 128;

/** Counts the values and bytes of a message's metadata. */
export class ValueCount {
  #values = 0;
  #bytes = 0;

  /** @throws WireError for more bytes than any proxy sends */
  measure(reader: WireReader): void {
    this.#bytes = reader.end - reader.position;
    const most = limits.messageOverhead.value;
    if (this.#bytes > most) throw new WireError(`metadata is longer than ${most} bytes`);
  }

  /** @throws WireError for more values than any proxy sends */
  add(): void {
    const most = limits.metadataValues.value;
    if (this.#values >= most) throw new WireError(`metadata has more than ${most} values`);
    this.#values += 1;
  }

  /** Approximate memory of the metadata, in bytes. */
  get keptBytes(): number {
    return this.#bytes + valueBytes * this.#values;
  }
}

export function readStruct(
  reader: WireReader,
  values: ValueCount = new ValueCount(),
  depth = 0,
): Struct {
  if (depth > maxDepth) throw new WireError(`metadata is nested deeper than ${maxDepth} levels`);
  const struct: Struct = Object.create(null);
  while (reader.more) {
    const tag = reader.tag();
    if (tag !== ((1 << 3) | wireType.bytes)) {
      reader.skip(tag);
      continue;
    }
    const [key, value] = readEntry(reader.message(), (field) => readValue(field, values, depth));
    values.add();
    struct[key] = value ?? null;
  }
  return struct;
}

/** Reads an entry of a protobuf map with string keys. The value is undefined if the entry has no value. */
export function readEntry<T>(
  entry: WireReader,
  read: (value: WireReader) => T,
): [key: string, value: T | undefined] {
  let key = "";
  let value: T | undefined;
  while (entry.more) {
    const tag = entry.tag();
    if (tag === ((1 << 3) | wireType.bytes)) key = entry.string();
    else if (tag === ((2 << 3) | wireType.bytes)) value = read(entry.message());
    else entry.skip(tag);
  }
  return [key, value];
}

function readValue(reader: WireReader, values: ValueCount, depth: number): StructValue {
  let value: StructValue = null;
  while (reader.more) {
    const tag = reader.tag();
    switch (tag >>> 3) {
      case valueField.number:
        value = reader.double();
        break;
      case valueField.string:
        value = reader.string();
        break;
      case valueField.bool:
        value = reader.varint() !== 0;
        break;
      case valueField.struct:
        value = readStruct(reader.message(), values, depth + 1);
        break;
      case valueField.list:
        value = readList(reader.message(), values, depth + 1);
        break;
      default:
        reader.skip(tag);
        value = null;
    }
  }
  return value;
}

function readList(reader: WireReader, values: ValueCount, depth: number): StructValue[] {
  if (depth > maxDepth) throw new WireError(`metadata is nested deeper than ${maxDepth} levels`);
  const list: StructValue[] = [];
  while (reader.more) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | wireType.bytes)) {
      list.push(readValue(reader.message(), values, depth));
      values.add();
    } else reader.skip(tag);
  }
  return list;
}

/** Writes the fields of a Struct of strings, numbers and Structs. */
export function writeStruct(writer: WireWriter, struct: Struct): void {
  for (const [key, value] of Object.entries(struct)) {
    const entry = writer.mark();
    const content = writer.mark();
    if (typeof value === "string") writer.string(valueField.string, value);
    else if (typeof value === "number") writer.double(valueField.number, value);
    else if (value !== null && typeof value === "object" && !Array.isArray(value)) {
      const nested = writer.mark();
      writeStruct(writer, value);
      writer.close(valueField.struct, nested);
    } else throw new TypeError(`metadata ${key}: ${typeof value} is not written`);
    writer.close(2, content);
    writer.string(1, key);
    writer.close(1, entry);
  }
}
