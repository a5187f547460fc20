import type { EngineBlocks } from "./engine-blocks.ts";
import type { KvEventBatch } from "./kv-event.ts";

/** Whether the blocks of an engine can be trusted. */
export type StreamState =
  /** The engine is not connected. */
  | "down"
  /** The replay of earlier messages is not complete. */
  | "replaying"
  /** All messages since the start of the stream, or since the last loss, were received. */
  | "live";

/**
 * Maximum number of replays in a row without new messages. A publisher that always replays the same messages must not
 * be queried forever.
 */
const maxReplays = 3;

export interface StreamCounts {
  messages: number;
  /** Number of gaps in the message numbers. */
  gaps: number;
  /** Number of times that messages were lost for good. */
  lost: number;
  /** Number of times that all blocks were removed. */
  epochs: number;
}

interface Message {
  readonly sequence: number;
  readonly batch: KvEventBatch;
}

/**
 * Applies the events of one engine in order. Messages are numbered. A missing message is requested by a replay. If the
 * replay does not contain it, all blocks are removed, because some of them may have been removed by the missing
 * message. The same happens if the numbers begin again or the connection ends, because another process may be
 * publishing.
 *
 * If a method returns a number, the caller must request a replay from that number, and must pass no further message
 * until it has called `replayEnded`.
 */
export class EventStream {
  readonly blocks: EngineBlocks;
  readonly counts: StreamCounts = { messages: 0, gaps: 0, lost: 0, epochs: 0 };
  readonly #replays: boolean;
  #state: StreamState = "down";
  /** Number of the next message; undefined if any number is accepted. */
  #next: number | undefined;
  /** Number of the last message that was not part of a replay. A replayed message may arrive again later. */
  #lastLive = -1;
  /** Message that arrived after a gap, until the replay ends. */
  #held: Message | undefined;
  /** Replays requested since the last message that was applied in order. */
  #asked = 0;
  /** The present replay has returned a message. */
  #sawReplay = false;

  /** @param replays whether the engine supports replays of earlier messages */
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

  /** Starts the stream: the engine's messages follow. */
  connected(): number | undefined {
    this.#startOver();
    return this.#replayFrom(0);
  }

  disconnected(): void {
    this.#startOver();
    this.#state = "down";
  }

  /** Handles a message that is not part of a replay. */
  message(sequence: number, batch: KvEventBatch): number | undefined {
    if (this.#state === "down") return undefined;
    this.counts.messages += 1;
    if (sequence < this.#lastLive) this.#startOver();
    this.#lastLive = sequence;
    return this.#inOrder({ sequence, batch });
  }

  /** Handles a message of the requested replay. */
  replayed(sequence: number, batch: KvEventBatch): void {
    if (this.#state !== "replaying") return;
    const expected = this.#next ?? 0;
    if (sequence < expected) return;
    // The publisher's buffer does not contain the missing messages any more. At the start, there are no blocks to
    // remove.
    if (sequence > expected && (expected > 0 || this.#sawReplay)) this.#lose();
    this.#sawReplay = true;
    this.#apply({ sequence, batch });
  }

  /**
   * Ends the replay.
   * @param ok whether the replay was complete
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
      // A replay contained this message, so the gap is filled.
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

  /** Requests a replay from a message number, if the engine supports it and the limit is not reached. */
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

  /** Removes all blocks, because the missing messages are lost. */
  #lose(): void {
    this.counts.lost += 1;
    this.#forget();
  }

  #forget(): void {
    this.counts.epochs += 1;
    this.blocks.clear();
    this.#next = undefined;
  }

  /** Removes all state, because another process may be publishing. */
  #startOver(): void {
    this.#forget();
    this.#lastLive = -1;
    this.#held = undefined;
    this.#asked = 0;
  }
}
