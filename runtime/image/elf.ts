/** Requirements of a 64-bit, little-endian ELF file on the machine that runs it (System V ABI, chapter 5). */
export interface ElfNeeds {
  /** `EM_X86_64` is 62, `EM_AARCH64` 183. */
  readonly machine: number;
  /** Path of the loader if the file is a program. */
  readonly interpreter: string | undefined;
  /** Names of the libraries that the file is linked with, in order. */
  readonly libraries: readonly string[];
}

interface Segment {
  readonly type: number;
  readonly offset: number;
  readonly address: number;
  readonly size: number;
}

const segmentType = { load: 1, dynamic: 2, interpreter: 3 };
const dynamicTag = { needed: 1, stringTable: 5 };

/** @throws Error for a file of another format */
export function readElf(file: Buffer): ElfNeeds {
  if (file.readUInt32BE(0) !== 0x7f454c46 || file[4] !== 2 || file[5] !== 1)
    throw new Error("not a 64-bit, little-endian ELF file");
  const segments = segmentsOf(file);
  const dynamic = segments.find(({ type }) => type === segmentType.dynamic);
  const interpreter = segments.find(({ type }) => type === segmentType.interpreter);
  return {
    machine: file.readUInt16LE(18),
    interpreter: interpreter && textAt(file, interpreter.offset),
    libraries: dynamic === undefined ? [] : neededIn(file, dynamic, segments),
  };
}

function segmentsOf(file: Buffer): Segment[] {
  const table = number(file, 32);
  const size = file.readUInt16LE(54);
  return Array.from({ length: file.readUInt16LE(56) }, (_, at) => {
    const entry = table + at * size;
    return {
      type: file.readUInt32LE(entry),
      offset: number(file, entry + 8),
      address: number(file, entry + 16),
      size: number(file, entry + 32),
    };
  });
}

function neededIn(file: Buffer, dynamic: Segment, segments: readonly Segment[]): string[] {
  const entries = Array.from({ length: dynamic.size / 16 }, (_, at) => ({
    tag: number(file, dynamic.offset + at * 16),
    value: number(file, dynamic.offset + at * 16 + 8),
  }));
  const strings = entries.find(({ tag }) => tag === dynamicTag.stringTable)?.value ?? 0;
  const home = segments.find(
    ({ type, address, size }) =>
      type === segmentType.load && strings >= address && strings < address + size,
  );
  if (home === undefined) throw new Error("the ELF file has no table of strings");
  const table = strings - home.address + home.offset;
  return entries
    .filter(({ tag }) => tag === dynamicTag.needed)
    .map(({ value }) => textAt(file, table + value));
}

const number = (file: Buffer, at: number) => Number(file.readBigUInt64LE(at));

const textAt = (file: Buffer, at: number) => file.toString("latin1", at, file.indexOf(0, at));
