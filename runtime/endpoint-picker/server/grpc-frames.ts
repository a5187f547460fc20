/** A stream of bytes that is not gRPC, or that asks for what is not served. `code` is the gRPC status. */
export class FrameError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.name = "FrameError";
    this.code = code;
  }
}

/** Compressed flag and length of a message in front of its bytes. */
const prefixBytes = 5;

/** gRPC status codes that this server ends streams with. */
export const grpcStatus = {
  ok: 0,
  cancelled: 1,
  resourceExhausted: 8,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
} as const;

/**
 * Cuts the bytes of a gRPC stream into messages (gRPC over HTTP/2, "Length-Prefixed-Message"). Messages are views on
 * the bytes that came, copied only where one came in several pieces.
 */
export class FrameReader {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #held = 0;
  /** Bytes that must be there before anything can be read. */
  #needed = prefixBytes;

  /** @param maxBytes of the largest message; -1 for any */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Calls `receive` with each message that is whole.
   * @throws FrameError for a compressed message or one that is too long.
   */
  push(bytes: Buffer, receive: (message: Buffer) => void): void {
    let rest = this.#join(bytes);
    if (rest === undefined) return;
    for (;;) {
      this.#needed = prefixBytes;
      if (rest.length < prefixBytes) break;
      const end = prefixBytes + this.#lengthOf(rest);
      this.#needed = end;
      if (rest.length < end) break;
      receive(rest.subarray(prefixBytes, end));
      rest = rest.subarray(end);
    }
    this.#held = rest.length;
    if (rest.length > 0) this.#pieces.push(rest);
  }

  /** Everything that is held, with the new bytes; undefined while a message is not whole. */
  #join(bytes: Buffer): Buffer | undefined {
    if (this.#held === 0) return bytes;
    this.#pieces.push(bytes);
    this.#held += bytes.length;
    if (this.#held < this.#needed) return undefined;
    const joined = Buffer.concat(this.#pieces, this.#held);
    this.#pieces = [];
    return joined;
  }

  #lengthOf(frame: Buffer): number {
    if (frame[0] !== 0)
      throw new FrameError(grpcStatus.unimplemented, "compressed messages are not taken");
    const length = frame.readUInt32BE(1);
    if (this.#maxBytes >= 0 && length > this.#maxBytes)
      throw new FrameError(
        grpcStatus.resourceExhausted,
        `a message of ${length} bytes is larger than ${this.#maxBytes}`,
      );
    return length;
  }
}

/** Messages with their prefixes, in one piece. */
export function frames(messages: readonly Buffer[]): Buffer {
  let length = 0;
  for (const message of messages) length += prefixBytes + message.length;
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  for (const message of messages) {
    bytes[at] = 0;
    bytes.writeUInt32BE(message.length, at + 1);
    bytes.set(message, at + prefixBytes);
    at += prefixBytes + message.length;
  }
  return bytes;
}
