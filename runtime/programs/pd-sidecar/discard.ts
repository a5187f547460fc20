import type { IncomingMessage } from "node:http";

/** Longest response that is read to its end, in bytes: error texts are short. */
const mostDiscarded = 64 * 1024;
const longestMs = 5_000;

/** Reads an unneeded response to its end to reuse its connection. Closes the connection of a long or slow response. */
export function discard(answer: IncomingMessage): void {
  let length = 0;
  const late = setTimeout(() => answer.destroy(), longestMs).unref();
  answer
    .once("close", () => clearTimeout(late))
    .on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > mostDiscarded) answer.destroy();
    })
    // An unneeded response may break off.
    .on("error", () => {});
}
