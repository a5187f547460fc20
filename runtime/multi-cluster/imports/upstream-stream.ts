/** Events from the other end of a relayed stream. */
export interface UpstreamEvents {
  /** Bytes for the proxy: gRPC messages, or parts of them. */
  answered(bytes: Buffer): void;
  /** Called instead of `answered` if the first response refuses the request because the picker has no endpoints. */
  declined(answer: Buffer): void;
  /** The next response is the last one: then the other end ends the stream, and the proxy can continue without it. */
  leaving(): void;
  /** The stream accepts bytes again, after `write` returned false. */
  drained(): void;
  /** The other end has ended the stream. */
  ended(status: StreamStatus): void;
  /** The other end is lost, or does not accept the stream. No further events follow. */
  unavailable(error: Error): void;
}

/** Final status of a gRPC stream. */
export interface StreamStatus {
  readonly code: number;
  /** Percent-encoded, as in the trailer `grpc-message`. */
  readonly message: string;
}

/** The other end of a stream that a proxy opened. */
export interface UpstreamStream {
  /** Returns false if the caller must wait for `drained`. */
  write(bytes: Buffer): boolean;
  /** Returns the number of bytes that still have to be sent to the other end or to the proxy. */
  heldBytes(): number;
  /** The proxy has sent everything. */
  end(): void;
  /** The proxy accepts no more bytes until `resume`. */
  pause(): void;
  resume(): void;
  /** The proxy is gone, or has its response. No further events follow. */
  close(): void;
}
