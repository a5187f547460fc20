/** Longest head of a response, in bytes. Equal to the limit of Node.js. */
const longestHead = 16 * 1_024;

/** Longest line with a chunk's size and its extensions, in bytes. */
const longestSizeLine = 1_024;

const lineEnd = Buffer.from("\r\n");
const headEnd = Buffer.from("\r\n\r\n");

/**
 * Reads one HTTP/1.1 response to a GET from the pieces that a socket delivers. It implements only what a page of
 * metrics needs, because `node:http` takes twice as long for a page as parsing its metrics.
 */
export class PageResponse {
  readonly #maxBytes: number;
  /** The bytes received. A piece is copied only if it is not the whole response. */
  #bytes: Buffer = Buffer.alloc(0);
  #length = 0;
  #isOwn = false;
  /** Position of the next part of the response: its head, a chunk, or the body. */
  #at = 0;
  /** The end of the body; undefined before the head is read, Infinity if the end of the connection ends it. */
  #end: number | undefined;
  /** The body from the chunks so far, moved together; undefined if the body is not chunked. */
  #body: { readonly from: number; to: number } | undefined;
  #keepsOpen = false;

  /** @param maxBytes longest body, in bytes */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Whether the connection may carry another request after this response. */
  get keepsOpen(): boolean {
    return this.#keepsOpen;
  }

  /**
   * Adds a piece. Returns the body once it is complete, as a view that is valid until the next piece is read into the
   * same buffer. Returns an error if the response is invalid.
   */
  read(piece: Buffer): Buffer | Error | undefined {
    if (this.#length + piece.length > this.#maxBytes + longestHead) return this.#tooLong();
    if (this.#length === 0) [this.#bytes, this.#length] = [piece, piece.length];
    else this.#append(piece);
    const result = this.#advance();
    if (result === undefined && !this.#isOwn) this.#own(piece.length);
    return result;
  }

  /** Call this when the connection has ended. Returns the body if its end was the end of the connection. */
  end(): Buffer | undefined {
    return this.#end === Number.POSITIVE_INFINITY && this.#body === undefined
      ? this.#bytes.subarray(this.#at, this.#length)
      : undefined;
  }

  #append(piece: Buffer): void {
    const length = this.#length + piece.length;
    if (length > this.#bytes.length) this.#own(Math.max(length, 2 * this.#bytes.length));
    this.#bytes.set(piece, this.#length);
    this.#length = length;
  }

  #own(size: number): void {
    const bytes = Buffer.allocUnsafe(size);
    bytes.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = bytes;
    this.#isOwn = true;
  }

  #advance(): Buffer | Error | undefined {
    if (this.#end === undefined) {
      const error = this.#readHead();
      if (error !== undefined || this.#end === undefined) return error;
    }
    if (this.#body !== undefined) return this.#readChunks(this.#body);
    return this.#length < this.#end ? undefined : this.#whole(this.#at, this.#end, this.#end);
  }

  #readHead(): Error | undefined {
    const received = this.#bytes.subarray(0, this.#length);
    const end = received.indexOf(headEnd, this.#at);
    if (end < 0)
      return this.#length - this.#at > longestHead ? new Error("no HTTP response") : undefined;
    const head = received.toString("latin1", this.#at, end);
    this.#at = end + headEnd.length;
    const [, version, status] = /^HTTP\/1\.([01]) (\d{3})(?: .*)?(?:\r\n|$)/.exec(head) ?? [];
    if (version === undefined) return new Error("no HTTP response");
    if (status === "100" || status === "102" || status === "103") return this.#readHead();
    if (status !== "200") return new Error(`HTTP status ${status}`);
    const connection = /\r\nconnection:[ \t]*([^\r]*)/i.exec(head)?.[1]?.toLowerCase() ?? "";
    this.#keepsOpen =
      version === "1" ? !/\bclose\b/.test(connection) : /\bkeep-alive\b/.test(connection);
    if (/\r\ntransfer-encoding:[^\r]*\bchunked[ \t]*(?:\r|$)/i.test(head)) {
      this.#body = { from: this.#at, to: this.#at };
      this.#end = Number.POSITIVE_INFINITY;
      return undefined;
    }
    const length = /\r\ncontent-length:[ \t]*(\d+)[ \t]*(?:\r|$)/i.exec(head)?.[1];
    if (length !== undefined && Number(length) > this.#maxBytes) return this.#tooLong();
    this.#end = length === undefined ? Number.POSITIVE_INFINITY : this.#at + Number(length);
    return undefined;
  }

  #readChunks(body: { readonly from: number; to: number }): Buffer | Error | undefined {
    const received = this.#bytes.subarray(0, this.#length);
    for (;;) {
      const end = received.indexOf(lineEnd, this.#at);
      if (end < 0) return this.#length - this.#at > longestSizeLine ? notChunked() : undefined;
      const [, digits] =
        /^([0-9a-f]{1,8})[ \t]*(?:;.*)?$/i.exec(received.toString("latin1", this.#at, end)) ?? [];
      if (digits === undefined) return notChunked();
      const size = Number.parseInt(digits, 16);
      const from = end + lineEnd.length;
      if (size === 0) return this.#readTrailers(body, from);
      if (body.to - body.from + size > this.#maxBytes) return this.#tooLong();
      if (this.#length < from + size + lineEnd.length) return undefined;
      if (received.indexOf(lineEnd, from + size) !== from + size) return notChunked();
      if (body.to === body.from) this.#body = body = { from, to: from + size };
      else {
        received.copyWithin(body.to, from, from + size);
        body.to += size;
      }
      this.#at = from + size + lineEnd.length;
    }
  }

  #readTrailers({ from, to }: { from: number; to: number }, after: number): Buffer | undefined {
    const received = this.#bytes.subarray(0, this.#length);
    const isEmpty = received.indexOf(lineEnd, after) === after;
    const end = isEmpty
      ? after + lineEnd.length
      : received.indexOf(headEnd, after) + headEnd.length;
    return end < after + lineEnd.length ? undefined : this.#whole(from, to, end);
  }

  /** Data after the response was not requested, so the connection is not used again. */
  #whole(from: number, to: number, end: number): Buffer {
    this.#keepsOpen &&= this.#length === end;
    return this.#bytes.subarray(from, to);
  }

  #tooLong(): Error {
    return new Error(`the page is longer than ${this.#maxBytes} bytes`);
  }
}

const notChunked = () => new Error("the page's chunks are malformed");
