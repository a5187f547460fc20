import type { IncomingMessage } from "node:http";

/** More bytes than are taken. */
export class TooLong extends Error {
  constructor(most: number) {
    super(`it has more than ${most} bytes`);
    this.name = "TooLong";
  }
}

/**
 * Reads a message to its end.
 *
 * @throws TooLong at the first piece beyond; Error where the message breaks off
 */
export function readAll(message: IncomingMessage, most: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    message
      .on("data", (chunk: Buffer) => {
        length += chunk.length;
        if (length > most) {
          message.removeAllListeners("data").resume();
          reject(new TooLong(most));
        } else chunks.push(chunk);
      })
      .once("end", () =>
        resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)),
      )
      .once("error", reject)
      .once("close", () => reject(new Error("it broke off")));
  });
}
