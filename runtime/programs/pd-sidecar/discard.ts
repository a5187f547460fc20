import type { IncomingMessage } from "node:http";

/** An error's text is short. */
const mostDiscarded = 64 * 1024;

/** An answer that nobody wants is read to its end, so that its connection serves again; a long one ends with it. */
export function discard(answer: IncomingMessage): void {
  let length = 0;
  answer
    .on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > mostDiscarded) answer.destroy();
    })
    // It breaks off: nobody misses it.
    .on("error", () => {});
}
