import { constants, type ServerHttp2Stream } from "node:http2";
import { limits } from "../../limits.ts";
import { peerAddress } from "../../manager/grpc/peer-address.ts";
import { ShareOfAddress } from "../../manager/share-of-address.ts";
import type { Clock } from "../clock.ts";

/** Limits on the number and age of streams. */
export interface StreamLimits {
  /** Time until a request must be received in full, in ms. Default `limits.requestTime`. */
  readonly requestTimeoutMs: number;
  /** Age at which a stream ends, in ms, whatever its state. Default `limits.streamAge`. */
  readonly maxStreamAgeMs: number;
  /**
   * Open streams of all connections, shared by addresses and by the services of a process. More are refused, and a proxy
   * may try elsewhere. Default: `limits.streams` for this service alone.
   */
  readonly shares: ShareOfAddress;
}

/** Returns the shares of open streams of a process. */
export const newStreamShares = (total: number = limits.streams.value) =>
  new ShareOfAddress(total, total);

export const defaultStreamLimits = {
  requestTimeoutMs: limits.requestTime.value,
  maxStreamAgeMs: limits.streamAge.value,
};

/** The part of a stream that the limits use. */
export interface LimitedStream {
  /** The request has not been received in full. */
  readonly waits: boolean;
  /** The request may be complete, and wait for its turn in a queue elsewhere. Default false. */
  readonly mayBeQueued?: boolean;
  giveUpWaiting(seconds: number): void;
  expire(): void;
}

export interface OpenedStream {
  readonly stream: LimitedStream;
  /** Called with the time that the stream was open, in seconds. */
  onClose(seconds: number): void;
}

interface Opened {
  readonly http2Stream: ServerHttp2Stream;
  readonly stream: LimitedStream;
  readonly at: number;
  /** Index in `#streams`. */
  index: number;
  /** Time at which the stream was first seen to be closed by its peer, or was given up. */
  closedAt: number | undefined;
}

/** Time between two checks of all streams, in ms. */
const pollIntervalMs = 1_000;

/** If a lower share of the streams than this is free, requests must be complete within `limits.crowdedRequestTime`. */
const crowdedBelow = 1 / 4;

/** Time after which a stream that is closed or given up is destroyed, in ms, even if it has bytes to write. */
const lingeringMs = 1_000;

/** The open streams of a service, checked once per second. */
export class OpenStreams {
  readonly #limits: StreamLimits;
  readonly #clock: Clock;
  /** Unordered. Not a Set: its outgrown tables would keep streams alive, as described at `release`. */
  readonly #streams: Opened[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: Partial<StreamLimits>, clock: Clock) {
    this.#limits = { ...defaultStreamLimits, shares: newStreamShares(), ...limits };
    this.#clock = clock;
  }

  get count(): number {
    return this.#streams.length;
  }

  /**
   * Refuses a stream beyond the share of its address. Otherwise calls `open`, which returns the stream and the function
   * to call at its end, with the time in seconds for which it was open.
   */
  enter(http2Stream: ServerHttp2Stream, open: () => OpenedStream): void {
    const leave = this.#limits.shares.enter(peerAddress(http2Stream));
    if (leave === undefined)
      http2Stream.on("error", ignore).close(constants.NGHTTP2_REFUSED_STREAM);
    else this.#add(http2Stream, open(), leave);
  }

  #add(http2Stream: ServerHttp2Stream, { stream, onClose }: OpenedStream, leave: () => void): void {
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
      leave();
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
    const { requestTimeoutMs, maxStreamAgeMs, shares } = this.#limits;
    const isCrowded = shares.free < shares.total * crowdedBelow;
    const crowdedMs = Math.min(requestTimeoutMs, limits.crowdedRequestTime.value);
    if (this.#streams.length === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    // A copy: streams that end during the loop reorder the list.
    for (const opened of [...this.#streams]) {
      const { http2Stream, stream, at } = opened;
      // Node.js leaves a stream open if it is reset with NO_ERROR during a write.
      if (http2Stream.closed) opened.closedAt ??= now;
      const withinMs = isCrowded && stream.mayBeQueued !== true ? crowdedMs : requestTimeoutMs;
      if (opened.closedAt !== undefined) {
        if (now - opened.closedAt >= lingeringMs) http2Stream.destroy();
      } else if (stream.waits && now - at > withinMs) {
        opened.closedAt = now;
        stream.giveUpWaiting(withinMs / 1000);
      } else if (now - at > maxStreamAgeMs) {
        opened.closedAt = now;
        stream.expire();
      }
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
