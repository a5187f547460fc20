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
  invalidArgument: 3,
  deadlineExceeded: 4,
  resourceExhausted: 8,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
} as const;

/** The pieces of a message are first collected in so many bytes, then in twice as many. */
const firstCapacity = 1024;

const noBytes: Buffer = Buffer.alloc(0);

/** Takes a message; returns false if no more can be taken now. */
type Receive = (message: Buffer) => unknown;

/**
 * Cuts the bytes of a gRPC stream into messages (gRPC over HTTP/2, "Length-Prefixed-Message"). Messages are views on
 * the bytes that came, copied only where one came in several pieces.
 */
export class FrameReader {
  readonly #maxBytes: number;
  /** Bytes that were not read yet: `#start` to before `#end` of a buffer that is ours where it has grown. */
  #bytes: Buffer = noBytes;
  #start = 0;
  #end = 0;
  #isOurs = false;

  /** @param maxBytes of the largest message; -1 for any */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Number of bytes that do not make a whole message yet, or that nobody asked for. */
  get held(): number {
    return this.#end - this.#start;
  }

  /** Bytes of memory that these take: a buffer of our own is longer than what is in it. */
  get budget(): number {
    return this.#isOurs ? this.#bytes.length : this.held;
  }

  /**
   * Calls `receive` with each message that is whole, until it answers false: then `resume` goes on.
   * @throws FrameError for a compressed message or one that is too long.
   */
  push(bytes: Buffer, receive: Receive): void {
    this.#append(bytes);
    this.resume(receive);
  }

  /** Goes on with what was not read. */
  resume(receive: Receive): void {
    for (let message = this.#next(); message !== undefined; message = this.#next())
      if (receive(message) === false) break;
    if (this.held === 0) this.drop();
  }

  /** Lets go of what was not read. */
  drop(): void {
    this.#bytes = noBytes;
    this.#start = 0;
    this.#end = 0;
    this.#isOurs = false;
  }

  #append(bytes: Buffer): void {
    if (this.held === 0) {
      this.#bytes = bytes;
      this.#start = 0;
      this.#end = bytes.length;
      this.#isOurs = false;
      return;
    }
    this.#grow(bytes.length);
    this.#bytes.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  #next(): Buffer | undefined {
    if (this.#end - this.#start < prefixBytes) return undefined;
    const start = this.#start + prefixBytes;
    const end = start + this.#length();
    if (end > this.#end) return undefined;
    this.#start = end;
    return this.#bytes.subarray(start, end);
  }

  /** Pieces go into a buffer of our own: a view on what came keeps all that came with it. */
  #grow(more: number): void {
    const { held } = this;
    if (this.#isOurs && this.#end + more <= this.#bytes.length) return;
    // Never into the buffer that messages before were views on.
    const wider = Buffer.allocUnsafe(this.#capacityFor(held + more));
    wider.set(this.#bytes.subarray(this.#start, this.#end));
    this.#bytes = wider;
    this.#isOurs = true;
    this.#start = 0;
    this.#end = held;
  }

  /** Twice as much as there is, and no more than the message needs where that is known. */
  #capacityFor(bytes: number): number {
    const capacity = Math.max(firstCapacity, 2 * bytes);
    if (this.held < prefixBytes) return capacity;
    return Math.max(bytes, Math.min(capacity, prefixBytes + this.#length()));
  }

  #length(): number {
    if (this.#bytes[this.#start] !== 0)
      throw new FrameError(grpcStatus.unimplemented, "compressed messages are not accepted");
    const length = readLength(this.#bytes, this.#start + 1);
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
    writeLength(bytes, at + 1, message.length);
    bytes.set(message, at + prefixBytes);
    at += prefixBytes + message.length;
  }
  return bytes;
}

function readLength(bytes: Buffer, at: number): number {
  let length = 0;
  for (let byte = at; byte < at + 4; byte += 1) length = length * 256 + (bytes[byte] as number);
  return length;
}

function writeLength(bytes: Buffer, at: number, length: number): void {
  bytes[at] = length >>> 24;
  bytes[at + 1] = length >>> 16;
  bytes[at + 2] = length >>> 8;
  bytes[at + 3] = length;
}
