import type { EngineBlocks } from "./engine-blocks.ts";
import type { KvEventBatch } from "./kv-event.ts";

/** Whether the blocks of an engine may be believed. */
export type StreamState =
  /** Nothing is connected. */
  | "down"
  /** What was published before is on its way. */
  | "replaying"
  /** Everything was heard since the stream began, or since a part of it was lost. */
  | "live";

/** Replays that bring nothing new: a publisher that answers always the same is not asked for ever. */
const maxReplays = 3;

/** How a stream went. */
export interface StreamCounts {
  messages: number;
  /** Times at which a number was missing. */
  gaps: number;
  /** Gaps that could not be filled. */
  lost: number;
  /** Times at which everything that was known was forgotten. */
  epochs: number;
}

interface Message {
  readonly sequence: number;
  readonly batch: KvEventBatch;
}

/**
 * The events of one engine in their order. Messages are numbered; one that is missing is asked from replay, and without it
 * everything is forgotten: what is left would claim blocks whose removal was not heard. So is everything when the numbers
 * begin again or the connection ends, since another process may be at the other end.
 *
 * If a method returns a number, the caller asks the engine for a replay from that number, and passes no further message until
 * it has called `replayEnded`.
 */
export class EventStream {
  readonly blocks: EngineBlocks;
  readonly counts: StreamCounts = { messages: 0, gaps: 0, lost: 0, epochs: 0 };
  readonly #replays: boolean;
  #state: StreamState = "down";
  /** The number that comes next; undefined where any may. */
  #next: number | undefined;
  /** Number of the last message that came by itself. What a replay brought too may come later. */
  #lastLive = -1;
  /** The message before which one was missing. */
  #held: Message | undefined;
  #asked = 0;
  #sawReplay = false;

  /** @param replays the engine can be asked for what it published before */
  constructor(blocks: EngineBlocks, replays: boolean) {
    this.blocks = blocks;
    this.#replays = replays;
  }

  get state(): StreamState {
    return this.#state;
  }

  /** Number of the last message that was applied; undefined before the first. */
  get last(): number | undefined {
    return this.#next === undefined || this.#next === 0 ? undefined : this.#next - 1;
  }

  /** The engine's messages come from now on. */
  connected(): number | undefined {
    this.#startOver();
    return this.#replayFrom(0);
  }

  disconnected(): void {
    this.#startOver();
    this.#state = "down";
  }

  /** A message that came by itself. */
  message(sequence: number, batch: KvEventBatch): number | undefined {
    if (this.#state === "down") return undefined;
    this.counts.messages += 1;
    if (sequence < this.#lastLive) this.#startOver();
    this.#lastLive = sequence;
    return this.#inOrder({ sequence, batch });
  }

  /** A message of the replay that was asked for. */
  replayed(sequence: number, batch: KvEventBatch): void {
    if (this.#state !== "replaying") return;
    const expected = this.#next ?? 0;
    if (sequence < expected) return;
    // The buffer of the publisher does not reach back far enough. At the start there is nothing to forget.
    if (sequence > expected && (expected > 0 || this.#sawReplay)) this.#lose();
    this.#sawReplay = true;
    this.#apply({ sequence, batch });
  }

  /**
   * Nothing more comes of the replay.
   * @param ok it came to its end
   */
  replayEnded(ok: boolean): number | undefined {
    if (this.#state !== "replaying") return undefined;
    this.#state = "live";
    if (ok) this.#next ??= 0;
    else this.#lose();
    const held = this.#held;
    this.#held = undefined;
    return held && this.#inOrder(held);
  }

  #inOrder(message: Message): number | undefined {
    const { sequence } = message;
    const expected = this.#next ?? sequence;
    if (sequence < expected) {
      // A replay brought it: the gap is filled.
      this.#asked = 0;
      return undefined;
    }
    if (sequence > expected) {
      this.counts.gaps += 1;
      const from = this.#replayFrom(expected);
      if (from !== undefined) {
        this.#held = message;
        return from;
      }
      this.#lose();
    }
    this.#asked = 0;
    this.#apply(message);
    return undefined;
  }

  /** Asks for what was published from a number on, where that can be. */
  #replayFrom(from: number): number | undefined {
    const asks = this.#replays && this.#asked < maxReplays;
    this.#state = asks ? "replaying" : "live";
    if (!asks) return undefined;
    this.#asked += 1;
    this.#sawReplay = false;
    return from;
  }

  #apply({ sequence, batch }: Message): void {
    for (const event of batch.events) this.blocks.apply(event);
    this.#next = sequence + 1;
  }

  /** What is missing will not come: what was known before it is forgotten. */
  #lose(): void {
    this.counts.lost += 1;
    this.#forget();
  }

  #forget(): void {
    this.counts.epochs += 1;
    this.blocks.clear();
    this.#next = undefined;
  }

  /** Another process may be at the other end. */
  #startOver(): void {
    this.#forget();
    this.#lastLive = -1;
    this.#held = undefined;
    this.#asked = 0;
  }
}
