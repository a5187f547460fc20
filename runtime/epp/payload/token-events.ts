/**
 * Matches the start of generated text in an event: a non-empty string in a field of the completions and chat APIs or of
 * the deltas of the responses API. Generated text cannot match, because its quotes are escaped.
 */
const text = /"(?:content|text|delta|reasoning_content|reasoning|arguments)" ?: ?"(?=[^"])/g;
/** Length of the longest incomplete match. */
const longest = '"reasoning_content" : "'.length;

const newline = 0x0a;
const quote = 0x22;

/**
 * Counts the events of a stream that contain generated text. A model server sends one event per token, or one for
 * several tokens if it speculates or batches its output. Reads each byte once, and keeps only an event that is cut.
 */
export class TokenEvents {
  #count = 0;
  #rest = "";
  /** Bytes from the field name up to the text of the last event, and their offset in the event. */
  #name = "";
  #nameAt = 0;

  get count(): number {
    return this.#count;
  }

  push(chunk: Buffer): void {
    if (this.#rest === "" && isOneEvent(chunk) && this.#isAsBefore(chunk)) this.#count += 1;
    else this.#search(chunk);
  }

  /**
   * Whether the text starts where it started in the last event: servers write the events of a stream alike, and send
   * each separately.
   */
  #isAsBefore(chunk: Buffer): boolean {
    const name = this.#name;
    const start = this.#nameAt;
    const end = start + name.length;
    if (end === 0 || end >= chunk.length || chunk[end] === quote) return false;
    for (let at = 0; at < name.length; at += 1)
      if (chunk[start + at] !== name.charCodeAt(at)) return false;
    return true;
  }

  #search(chunk: Buffer): void {
    const bytes = this.#rest + chunk.toString("latin1");
    let end = 0;
    text.lastIndex = 0;
    for (let found = text.exec(bytes); found !== null; found = text.exec(bytes)) {
      this.#count += 1;
      this.#name = found[0];
      this.#nameAt = found.index;
      end = text.lastIndex;
    }
    const isWhole = chunk[chunk.length - 1] === newline;
    this.#rest = isWhole ? "" : bytes.slice(Math.max(end, bytes.length - longest));
  }
}

/** Whether the chunk has one line with content, which ends with the chunk. */
function isOneEvent(chunk: Buffer): boolean {
  const firstEnd = chunk.indexOf(newline);
  return firstEnd >= 0 && firstEnd >= chunk.length - 2 && chunk[chunk.length - 1] === newline;
}
