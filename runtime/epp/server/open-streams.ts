import type { ServerHttp2Stream } from "node:http2";
import { limits } from "../../limits.ts";
import type { Clock } from "../clock.ts";

/** Limits on the number and age of streams. */
export interface StreamLimits {
  /** Time until a request must be received in full, in ms. Default `limits.requestTime`. */
  readonly requestTimeoutMs: number;
  /** Age at which a stream ends, in ms, whatever its state. Default `limits.streamAge`. */
  readonly maxStreamAgeMs: number;
  /**
   * Open streams of all connections together. More are refused, and a proxy may try elsewhere. Default
   * `limits.streams`.
   */
  readonly maxOpenStreams: number;
}

export const defaultStreamLimits: StreamLimits = {
  requestTimeoutMs: limits.requestTime.value,
  maxStreamAgeMs: limits.streamAge.value,
  maxOpenStreams: limits.streams.value,
};

/** The part of a stream that the limits use. */
export interface LimitedStream {
  /** The request has not been received in full. */
  readonly waits: boolean;
  giveUpWaiting(seconds: number): void;
  expire(): void;
}

interface Opened {
  readonly http2Stream: ServerHttp2Stream;
  readonly stream: LimitedStream;
  readonly at: number;
  /** Index in `#streams`. */
  index: number;
  /** Time at which the peer was first seen to have closed the stream. */
  closedAt: number | undefined;
}

/** Time between two checks of all streams, in ms. */
const pollIntervalMs = 1_000;

/** Time after which a stream that the peer closed is destroyed, in ms, even if it has bytes to write. */
const lingeringMs = 1_000;

/** The open streams of a service, checked once per second. */
export class OpenStreams {
  readonly #limits: StreamLimits;
  readonly #clock: Clock;
  /** Unordered. Not a Set: its outgrown tables would keep streams alive, as described at `release`. */
  readonly #streams: Opened[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: Partial<StreamLimits>, clock: Clock) {
    this.#limits = { ...defaultStreamLimits, ...limits };
    this.#clock = clock;
  }

  get count(): number {
    return this.#streams.length;
  }

  get hasCapacity(): boolean {
    return this.#streams.length < this.#limits.maxOpenStreams;
  }

  /** @param onClose called with the time that the stream was open, in seconds */
  add(
    http2Stream: ServerHttp2Stream,
    stream: LimitedStream,
    onClose: (seconds: number) => void,
  ): void {
    const index = this.#streams.length;
    const opened: Opened = {
      http2Stream,
      stream,
      at: this.#clock.now(),
      index,
      closedAt: undefined,
    };
    this.#streams.push(opened);
    this.#timer ??= setInterval(() => this.#look(), pollIntervalMs).unref();
    http2Stream.on("close", () => {
      this.#remove(opened);
      onClose((this.#clock.now() - opened.at) / 1000);
      release(http2Stream);
    });
  }

  /** Fills the gap with the last stream. */
  #remove({ index }: Opened): void {
    const last = this.#streams.pop() as Opened;
    if (last.index === index) return;
    this.#streams[index] = last;
    last.index = index;
  }

  #look(): void {
    const now = this.#clock.now();
    const { requestTimeoutMs, maxStreamAgeMs } = this.#limits;
    if (this.#streams.length === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    // A copy: streams that end during the loop reorder the list.
    for (const opened of [...this.#streams]) {
      const { http2Stream, stream, at } = opened;
      // Node.js leaves a stream open if it is reset with NO_ERROR during a write.
      if (http2Stream.closed) opened.closedAt ??= now;
      if (opened.closedAt !== undefined && now - opened.closedAt >= lingeringMs)
        http2Stream.destroy();
      else if (stream.waits && now - at > requestTimeoutMs)
        stream.giveUpWaiting(requestTimeoutMs / 1000);
      else if (now - at > maxStreamAgeMs) stream.expire();
    }
  }
}

/**
 * Removes all listeners of a stream, and with them everything that a request has left behind. Node.js keeps the streams
 * of a connection in a Map whose outgrown tables refer to the next table. A table that has grown old keeps all its
 * streams alive until a full garbage collection, and the memory that they keep makes such collections more frequent.
 */
function release(http2Stream: ServerHttp2Stream): void {
  http2Stream.removeAllListeners();
  http2Stream.on("error", ignore);
}

/** At the top level, so that it refers to no stream. */
function ignore(): void {}
