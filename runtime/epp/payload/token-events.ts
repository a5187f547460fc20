/**
 * Finds where generated text begins in an event: a non-empty string, by the names of the completions and chat APIs and
 * of the deltas of the responses API. In generated text itself quotes are escaped, so that it holds none of these.
 */
const text = /"(?:content|text|delta|reasoning_content|reasoning|arguments)" ?: ?"(?=[^"])/g;
/** Bytes of the longest of these but the last. */
const longest = '"reasoning_content" : "'.length;

const newline = 0x0a;
const quote = 0x22;

/**
 * Counts the events of a stream that bring generated text: a model server sends one a token, or one for several where it
 * speculates or collects. Looks at each byte once, and keeps none but of an event that is cut.
 */
export class TokenEvents {
  #count = 0;
  #rest = "";
  /** The name that stood before the text of the last event, with all up to the text, and its place in the event. */
  #name = "";
  #nameAt = 0;

  get count(): number {
    return this.#count;
  }

  push(chunk: Buffer): void {
    if (this.#rest === "" && isOneEvent(chunk) && this.#isAsBefore(chunk)) this.#count += 1;
    else this.#search(chunk);
  }

  /** The text begins where it began in the last event: servers write the events of a stream alike, and send each alone. */
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

/** Its only line with anything in it ends with the chunk. */
function isOneEvent(chunk: Buffer): boolean {
  const firstEnd = chunk.indexOf(newline);
  return firstEnd >= 0 && firstEnd >= chunk.length - 2 && chunk[chunk.length - 1] === newline;
}
