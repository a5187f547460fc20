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
  /** Its place among all. */
  index: number;
  /** When the other side was first seen to have ended it. */
  closedAt: number | undefined;
}

/** Milliseconds between two looks at all streams. */
const pollIntervalMs = 1_000;

/** Milliseconds after which a stream that the other side has ended goes, whatever is still to be written to it. */
const lingeringMs = 1_000;

/** The streams of a service. Looks at them once a second, as long as there are any. */
export class OpenStreams {
  readonly #limits: StreamLimits;
  readonly #clock: Clock;
  /** In no order. Not a Set: the tables that one has grown out of keep streams for as long as `release` says. */
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

  /** @param onClose called with the seconds for which the stream was open */
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

  /** The last one takes its place. */
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
    // Those that end meanwhile change places.
    for (const opened of [...this.#streams]) {
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

/**
 * Takes all that hears of a stream off it, and so all that a request has left behind. Node.js keeps the streams of a
 * connection in a Map, whose tables refer to the next one: of those that are old enough, every stream stays that they ever
 * had until the whole heap is collected, and what stays makes that due soon.
 */
function release(http2Stream: ServerHttp2Stream): void {
  http2Stream.removeAllListeners();
  http2Stream.on("error", ignore);
}

/** Refers to no stream, as a function that is made beside one does. */
function ignore(): void {}
