/**
 * Finds where generated text begins in an event: a non-empty string, by the names of the completions and chat APIs and
 * of the deltas of the responses API. In generated text itself quotes are escaped, so that it holds none of these.
 */
const text = /"(?:content|text|delta|reasoning_content|reasoning|arguments)" ?: ?"(?=[^"])/g;
/** Bytes of the longest of these but the last. */
const longest = '"reasoning_content" : "'.length;

const newline = 0x0a;

/**
 * Counts the events of a stream that bring generated text: a model server sends one a token, or one for several where it
 * speculates or collects. Looks at each byte once, and keeps none but of an event that is cut.
 */
export class TokenEvents {
  #count = 0;
  #rest = "";

  get count(): number {
    return this.#count;
  }

  push(chunk: Buffer): void {
    const bytes = this.#rest + chunk.toString("latin1");
    let end = 0;
    text.lastIndex = 0;
    while (text.test(bytes)) {
      this.#count += 1;
      end = text.lastIndex;
    }
    const isWhole = chunk[chunk.length - 1] === newline;
    this.#rest = isWhole ? "" : bytes.slice(Math.max(end, bytes.length - longest));
  }
}
