import type { Readable } from "node:stream";

export interface BodyOptions {
  /** Text for the body in messages, for example "the answer". */
  readonly what: string;
  /** Maximum number of bytes. */
  readonly maxBytes: number;
  /** Receives the stream if there are more bytes. Default: destroys it. */
  readonly onTooLong?: (body: Readable) => void;
}

/** A body exceeds the maximum size. */
export class BodyTooLong extends Error {
  override readonly name = "BodyTooLong";

  constructor({ what, maxBytes }: BodyOptions) {
    super(`${what} is longer than ${maxBytes} bytes`);
  }
}

/**
 * Reads an HTTP body to its end.
 *
 * @throws BodyTooLong as soon as the body exceeds the maximum; Error if the body is incomplete
 */
export function readBody(body: Readable, options: BodyOptions): Promise<Buffer> {
  const { what, maxBytes, onTooLong = (rest) => rest.destroy() } = options;
  return new Promise((resolve, reject) => {
    // One buffer, because a separate piece of one byte would cost a hundred.
    let held: Buffer = Buffer.alloc(0);
    let bytes = 0;
    const take = (chunk: Buffer) => {
      const length = bytes + chunk.length;
      if (length <= maxBytes) {
        if (length > held.length) held = wider(held, bytes, length);
        held.set(chunk, bytes);
        bytes = length;
        return;
      }
      body.off("data", take);
      reject(new BodyTooLong(options));
      onTooLong(body);
    };
    const cutOff = () => reject(new Error(`${what} is incomplete: the connection closed early`));
    const ended = () => {
      // The stream closes in any case, and an error with a stack trace would cost time in each scrape.
      body.off("close", cutOff);
      resolve(held.subarray(0, bytes));
    };
    body.on("data", take).once("end", ended).once("error", reject).once("close", cutOff);
  });
}

const leastLength = 4_096;

function wider(held: Buffer, used: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(Math.max(length, 2 * held.length, leastLength));
  held.copy(buffer, 0, 0, used);
  return buffer;
}
