/** A stream that is not valid gRPC, or that needs an unsupported feature. `code` is the gRPC status. */
export class FrameError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.name = "FrameError";
    this.code = code;
  }
}

/** Bytes of a message's prefix: compressed flag and length. */
const prefixBytes = 5;

/** gRPC status codes with which this server ends streams. */
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

/** Initial buffer for a message that arrives in pieces, in bytes. It doubles as needed. */
const firstCapacity = 1024;

const noBytes: Buffer = Buffer.alloc(0);

/** Takes a message; returns false if no more can be taken now. */
type Receive = (message: Buffer) => unknown;

/**
 * Cuts the bytes of a gRPC stream into messages (gRPC over HTTP/2, "Length-Prefixed-Message"). Messages are views on
 * the received bytes. Only a message that arrives in several pieces is copied.
 */
export class FrameReader {
  readonly #maxBytes: number;
  /** Unread bytes, from `#start` to before `#end`. If `#isOurs`, the buffer was allocated here. */
  #bytes: Buffer = noBytes;
  #start = 0;
  #end = 0;
  #isOurs = false;

  /** @param maxBytes size of the largest message; -1 for no limit */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Number of unread bytes: messages that were not taken yet, and an incomplete one. */
  get held(): number {
    return this.#end - this.#start;
  }

  /** Bytes of memory for the unread bytes: a buffer of our own is longer than its content. */
  get budget(): number {
    return this.#isOurs ? this.#bytes.length : this.held;
  }

  /**
   * Calls `receive` with each complete message until it returns false. Then `resume` continues.
   * @throws FrameError for a compressed message or one that is too long.
   */
  push(bytes: Buffer, receive: Receive): void {
    this.#append(bytes);
    this.resume(receive);
  }

  /** Continues with the unread bytes. */
  resume(receive: Receive): void {
    for (let message = this.#next(); message !== undefined; message = this.#next())
      if (receive(message) === false) break;
    if (this.held === 0) this.drop();
    // A view would keep the whole received buffer alive.
    else if (!this.#isOurs) this.#grow(0);
  }

  /** Drops the unread bytes. */
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

  /** Copies the unread bytes into a buffer of our own: a view would keep the whole received buffer alive. */
  #grow(more: number): void {
    const { held } = this;
    if (this.#isOurs && this.#end + more <= this.#bytes.length) return;
    // Always into a new buffer: earlier messages are views on the old one.
    const wider = Buffer.allocUnsafe(this.#capacityFor(held + more));
    wider.set(this.#bytes.subarray(this.#start, this.#end));
    this.#bytes = wider;
    this.#isOurs = true;
    this.#start = 0;
    this.#end = held;
  }

  /** Twice the given size, but no more than the message needs if its length is known. */
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

/** Joins messages and their prefixes into one buffer. */
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
