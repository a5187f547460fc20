/** Log messages that the SDK could not deliver, because a resource failed, and printed instead. */

const begin = "failed to deliver log message. \n";
const whole =
  /^failed to deliver log message\. \nerror: [\s\S]*?\noriginal message: ([\s\S]*?)\n message severity: (\w+)\n/;
/** Longest message, in characters; a longer one is printed as it is. */
const longest = 1_000_000;

/** Receives output in whole lines, and separates these messages from it. */
export class UndeliveredMessages {
  readonly #print: (text: string) => void;
  readonly #log: (severity: string, message: string) => void;
  #rest = "";

  constructor(print: (text: string) => void, log: (severity: string, message: string) => void) {
    this.#print = print;
    this.#log = log;
  }

  push(text: string): void {
    this.#rest += text;
    for (let at = beginIn(this.#rest); at >= 0; at = beginIn(this.#rest)) {
      if (at > 0) this.#print(this.#rest.slice(0, at));
      this.#rest = this.#rest.slice(at);
      const [block, message = "", severity = ""] = whole.exec(this.#rest) ?? [];
      if (block === undefined && this.#rest.length < longest) return;
      if (block === undefined) break;
      this.#log(severity, message);
      this.#rest = this.#rest.slice(block.length);
    }
    this.end();
  }

  /** Prints a message that is not complete. */
  end(): void {
    if (this.#rest !== "") this.#print(this.#rest);
    this.#rest = "";
  }
}

/** Returns where the first message begins, at the start of a line; -1 without one. */
function beginIn(text: string): number {
  if (text.startsWith(begin)) return 0;
  const at = text.indexOf(`\n${begin}`);
  return at < 0 ? -1 : at + 1;
}
