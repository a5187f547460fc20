import type { ServerHttp2Stream } from "node:http2";
import { limits } from "../../limits.ts";
import type { Clock } from "../clock.ts";

/** How long and how many streams may be. Durations in milliseconds. */
export interface StreamLimits {
  /** Until a request has come in full. Default `limits.requestTime`. */
  readonly requestTimeoutMs: number;
  /** Until a stream is ended, whatever goes on in it. Default `limits.streamAge`. */
  readonly maxStreamAgeMs: number;
  /** Streams at once, of all connections; more are refused, and a proxy may try elsewhere. Default `limits.streams`. */
  readonly maxOpenStreams: number;
}

export const defaultStreamLimits: StreamLimits = {
  requestTimeoutMs: limits.requestTime.value,
  maxStreamAgeMs: limits.streamAge.value,
  maxOpenStreams: limits.streams.value,
};

/** What the limits need to know of a stream, and may do to it. */
export interface LimitedStream {
  /** The request has not come in full. */
  readonly waits: boolean;
  giveUpWaiting(seconds: number): void;
  expire(): void;
}

interface Opened {
  readonly http2Stream: ServerHttp2Stream;
  readonly stream: LimitedStream;
  readonly at: number;
  /** When the other side was first seen to have ended it. */
  closedAt: number | undefined;
}

/** Milliseconds between two looks at all streams. */
const lookIntervalMs = 1_000;

/** Milliseconds after which a stream that the other side has ended goes, whatever is still to be written to it. */
const lingeringMs = 1_000;

/** The streams of a service. Looks at them once a second, as long as there are any. */
export class OpenStreams {
  readonly #limits: StreamLimits;
  readonly #clock: Clock;
  readonly #streams = new Set<Opened>();
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: Partial<StreamLimits>, clock: Clock) {
    this.#limits = { ...defaultStreamLimits, ...limits };
    this.#clock = clock;
  }

  get count(): number {
    return this.#streams.size;
  }

  get hasRoom(): boolean {
    return this.#streams.size < this.#limits.maxOpenStreams;
  }

  /** @param onClose called with the seconds for which the stream was open */
  add(
    http2Stream: ServerHttp2Stream,
    stream: LimitedStream,
    onClose: (seconds: number) => void,
  ): void {
    const opened: Opened = { http2Stream, stream, at: this.#clock.now(), closedAt: undefined };
    this.#streams.add(opened);
    this.#timer ??= setInterval(() => this.#look(), lookIntervalMs).unref();
    http2Stream.on("close", () => {
      this.#streams.delete(opened);
      onClose((this.#clock.now() - opened.at) / 1000);
    });
  }

  #look(): void {
    const now = this.#clock.now();
    const { requestTimeoutMs, maxStreamAgeMs } = this.#limits;
    if (this.#streams.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    for (const opened of this.#streams) {
      const { http2Stream, stream, at } = opened;
      // Node.js leaves a stream open that was reset with NO_ERROR while something is written to it.
      if (http2Stream.closed) opened.closedAt ??= now;
      if (opened.closedAt !== undefined && now - opened.closedAt >= lingeringMs)
        http2Stream.destroy();
      else if (stream.waits && now - at > requestTimeoutMs)
        stream.giveUpWaiting(requestTimeoutMs / 1000);
      else if (now - at > maxStreamAgeMs) stream.expire();
    }
  }
}
