import type { Readable } from "node:stream";

export interface BodyOptions {
  /** How messages name the body, for example "the answer". */
  readonly what: string;
  /** The most bytes that are read. */
  readonly maxBytes: number;
  /** Gets the stream where there are more. Default: destroys it. */
  readonly onTooLong?: (body: Readable) => void;
}

/** A body has more bytes than are read of it. */
export class BodyTooLong extends Error {
  override readonly name = "BodyTooLong";

  constructor({ what, maxBytes }: BodyOptions) {
    super(`${what} is longer than ${maxBytes} bytes`);
  }
}

/**
 * Reads a body of HTTP to its end.
 *
 * @throws BodyTooLong as soon as there are too many bytes; Error where the body breaks off
 */
export function readBody(body: Readable, options: BodyOptions): Promise<Buffer> {
  const { what, maxBytes, onTooLong = (rest) => rest.destroy() } = options;
  return new Promise((resolve, reject) => {
    // One buffer, since a piece of one byte would cost a hundred.
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
      // It closes in any case, and an error with its stack costs each scrape time.
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
