/** What a relayed stream hears of the other end. */
export interface UpstreamEvents {
  /** Bytes for the proxy: gRPC messages, or pieces of them. */
  answered(bytes: Buffer): void;
  /** In place of its first answer: the message by which it refuses a request for which it has no endpoints. */
  declined(answer: Buffer): void;
  /** The next answer is the last one: the other end leaves the stream after it, and the proxy can do the rest by itself. */
  leaving(): void;
  /** After `write` answered false: there is room again. */
  drained(): void;
  /** The other end said all. */
  ended(status: StreamStatus): void;
  /** The other end is gone, or does not take the stream. Nothing follows. */
  unavailable(error: Error): void;
}

/** How a gRPC stream ended. */
export interface StreamStatus {
  readonly code: number;
  /** As in the trailer `grpc-message`: percent-encoded. */
  readonly message: string;
}

/** The other end of a stream that a proxy opened. */
export interface UpstreamStream {
  /** False where there is no room for more until `drained`. */
  write(bytes: Buffer): boolean;
  /** The proxy said all. */
  end(): void;
  /** The proxy takes no more until `resume`. */
  pause(): void;
  resume(): void;
  /** The proxy is gone, or has its answer. Nothing is heard after it. */
  close(): void;
}
