import { FieldScanner, firstBytes, type OnValue } from "./field-scanner.ts";
import { ShortText } from "./short-text.ts";

const newline = 0x0a;
const dataPrefix = Buffer.from("data:");
const quotedFields = {
  id: new ShortText('"id"'),
  model: new ShortText('"model"'),
  usage: new ShortText('"usage"'),
};
/** Value of `#prefix` in a line without data. */
const noData = -1;

export interface ResponseFieldsOptions {
  readonly field: keyof typeof quotedFields;
  readonly kind: "string" | "object";
  /** The response is a stream of server-sent events, each with JSON in one `data` line; else it is JSON. */
  readonly sse: boolean;
  /** Called for each value, with its position in the current chunk. */
  readonly onValue: OnValue;
}

/** Finds the values of a field in a response, chunk by chunk. */
export class ResponseFields {
  readonly #scanner: FieldScanner;
  readonly #sse: boolean;
  readonly #quotedField: ShortText;
  readonly #firstByte: number;
  /** Bytes of `data:` that the current line has so far; all of them in a data line. */
  #prefix = 0;

  constructor({ field, kind, sse, onValue }: ResponseFieldsOptions) {
    this.#scanner = new FieldScanner(field, kind, onValue);
    this.#sse = sse;
    this.#quotedField = quotedFields[field];
    this.#firstByte = firstBytes[kind];
  }

  /** Bytes of the value in which the last chunk ended; 0 if it did not end in a value. */
  get openValueBytes(): number {
    return this.#scanner.openValueBytes;
  }

  push(chunk: Buffer): void {
    if (!this.#sse) this.#scanner.scan(chunk, 0, chunk.length);
    else if (!this.#isWholeWithoutValue(chunk)) this.#pushLines(chunk);
  }

  /** Most chunks of a stream are whole events. Such a chunk needs no scan if the field has no string as value in it. */
  #isWholeWithoutValue(chunk: Buffer): boolean {
    if (this.#prefix !== 0 || chunk[chunk.length - 1] !== newline) return false;
    const { length } = this.#quotedField;
    const find = (from: number) => this.#quotedField.find(chunk, from);
    for (let at = find(0); at >= 0; at = find(at + length))
      if (valueAfterKey(chunk, at + length) === this.#firstByte) return false;
    return true;
  }

  #pushLines(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      at = this.#readPrefix(chunk, at);
      const found = chunk.indexOf(newline, at);
      const end = found < 0 ? chunk.length : found;
      if (this.#prefix === dataPrefix.length) this.#scanner.scan(chunk, at, end);
      if (found < 0) return;
      this.#scanner.reset();
      this.#prefix = 0;
      at = end + 1;
    }
  }

  #readPrefix(chunk: Buffer, from: number): number {
    let at = from;
    while (this.#prefix >= 0 && this.#prefix < dataPrefix.length && at < chunk.length) {
      if (chunk[at] === dataPrefix[this.#prefix]) {
        this.#prefix += 1;
        at += 1;
      } else this.#prefix = noData;
    }
    return at;
  }
}

/** First byte after a key, colon and spaces. */
function valueAfterKey(chunk: Buffer, endOfKey: number): number | undefined {
  let at = endOfKey;
  while (at < chunk.length && ((chunk[at] as number) <= 0x20 || chunk[at] === 0x3a)) at += 1;
  return chunk[at];
}
