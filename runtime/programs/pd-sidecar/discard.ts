import type { IncomingMessage } from "node:http";

/** An error's text is short. */
const mostDiscarded = 64 * 1024;
const longestMs = 5_000;

/** An answer that nobody wants is read to its end, so that its connection serves again; a long or a slow one ends with it. */
export function discard(answer: IncomingMessage): void {
  let length = 0;
  const late = setTimeout(() => answer.destroy(), longestMs).unref();
  answer
    .once("close", () => clearTimeout(late))
    .on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > mostDiscarded) answer.destroy();
    })
    // It breaks off: nobody misses it.
    .on("error", () => {});
}
