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
    const chunks: Buffer[] = [];
    let bytes = 0;
    const take = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) return void chunks.push(chunk);
      body.off("data", take);
      reject(new BodyTooLong(options));
      onTooLong(body);
    };
    body
      .on("data", take)
      .once("end", () =>
        resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, bytes)),
      )
      .once("error", reject)
      .once("close", () => reject(new Error(`${what} was cut off`)));
  });
}
