import type { EventStream } from "../../../scheduling/kv-index/event-stream.ts";
import { limits } from "../../limits.ts";
import { decodeBatch } from "./decode-batch.ts";
import { numberedMessage, replay } from "./replay.ts";
import type { ReplayTurns } from "./replay-turns.ts";
import { ZmtpConnection } from "./zmtp.ts";

export interface SubscriptionOptions {
  readonly host: string;
  readonly port: number;
  /** Undefined if messages cannot be requested again. */
  readonly replayPort: number | undefined;
  /** Prefix of the topics. */
  readonly topicFilter: string;
  readonly stream: EventStream;
  readonly turns: ReplayTurns;
  readonly random: () => number;
  readonly observer: SubscriptionObserver;
}

/** Receives the events of subscriptions. */
export interface SubscriptionObserver {
  /** Number of events that were applied, and of events with an unknown type. */
  received(events: number, unknown: number): void;
  /** A message is not a batch of events. */
  malformed(reason: string): void;
  /** A connection ended or could not be opened. */
  disconnected(reason: string): void;
  replayed(outcome: "complete" | "failed", reason?: string): void;
}

const connectTimeoutMs = 2_000;
const idleTimeoutMs = 4_000;
const firstRetryMs = 250;
const longestRetryMs = 10_000;
/** Timeouts of a replay, for which other replays may wait. */
const answerTimeoutMs = 5_000;
const longestReplayMs = 60_000;

/** Applies the events of one engine from its publisher to its stream, as long as the engine exists. */
export class Subscription {
  readonly #options: SubscriptionOptions;
  #connection: ZmtpConnection | undefined;
  #stopReplay = () => {};
  #retry: NodeJS.Timeout | undefined;
  #failures = 0;
  #stopped = false;
  /** Reason why there is no connection. */
  problem: string | undefined;

  constructor(options: SubscriptionOptions) {
    this.#options = options;
    this.#connect();
  }

  stop(): void {
    this.#stopped = true;
    this.#down();
  }

  #connect(): void {
    const { host, port, topicFilter, stream } = this.#options;
    const connection: ZmtpConnection = new ZmtpConnection({
      ...{ host, port, connectTimeoutMs, idleTimeoutMs },
      socketType: "SUB",
      maxMessageBytes: limits.kvEventMessage.value,
      onReady: () => {
        connection.subscribe(topicFilter);
        this.problem = undefined;
        this.#replayFrom(stream.connected());
      },
      onMessage: (parts) => this.#message(parts),
      onEnd: (reason) => this.#failed(reason),
    });
    this.#connection = connection;
  }

  #message(parts: readonly Buffer[]): void {
    const { stream, observer } = this.#options;
    const message = numberedMessage(parts);
    if (message === undefined) {
      this.#malformed(`a message of ${parts.length} parts has no sequence number`);
      return;
    }
    try {
      const batch = decodeBatch(message.payload);
      observer.received(batch.events.length, batch.unknown);
      this.#failures = 0;
      this.#replayFrom(stream.message(message.sequence, batch));
    } catch (error) {
      this.#malformed((error as Error).message);
    }
  }

  /** Handles a malformed message: drops all blocks of the engine and connects again later. */
  #malformed(reason: string): void {
    this.#options.observer.malformed(reason);
    this.#failed(reason);
  }

  #failed(reason: string): void {
    this.#down();
    this.problem = reason;
    this.#options.observer.disconnected(reason);
    if (this.#stopped) return;
    const wait = Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(this.#failures, 10));
    this.#failures += 1;
    this.#retry = setTimeout(() => this.#connect(), wait * (0.5 + this.#options.random())).unref();
  }

  #down(): void {
    clearTimeout(this.#retry);
    this.#stopReplay();
    this.#connection?.close();
    this.#connection = undefined;
    this.#options.stream.disconnected();
  }

  /** Starts a replay. New messages wait at the publisher until the replay has ended. */
  #replayFrom(from: number | undefined): void {
    const connection = this.#connection;
    const { host, replayPort, stream, turns, observer } = this.#options;
    if (from === undefined || connection === undefined || replayPort === undefined) return;
    connection.pause();
    const leave = turns.take(() => {
      const onEnd = (failure?: string) => {
        leave();
        observer.replayed(failure === undefined ? "complete" : "failed", failure);
        const again = stream.replayEnded(failure === undefined);
        if (again !== undefined) this.#replayFrom(again);
        else connection.resume();
      };
      const stop = replay({
        ...{ host, from, connectTimeoutMs, idleTimeoutMs },
        ...{ answerTimeoutMs, timeoutMs: longestReplayMs },
        port: replayPort,
        maxMessageBytes: limits.kvEventMessage.value,
        onBatch: (sequence, batch) => {
          observer.received(batch.events.length, batch.unknown);
          stream.replayed(sequence, batch);
        },
        onEnd,
      });
      this.#stopReplay = () => {
        stop();
        leave();
      };
    });
    this.#stopReplay = leave;
  }
}
