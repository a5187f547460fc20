import type { KvEventBatch } from "../../../scheduling/kv-index/kv-event.ts";
import { decodeBatch } from "./decode-batch.ts";
import { ZmtpConnection, type ZmtpOptions } from "./zmtp.ts";

/** A message of a publisher: `[topic, number, payload]`. */
export interface NumberedMessage {
  readonly sequence: number;
  readonly payload: Buffer;
}

/** The parts of a message as a publisher numbers it; undefined where they are none. */
export function numberedMessage(parts: readonly Buffer[]): NumberedMessage | undefined {
  const [number, payload] = parts.slice(-2);
  if (parts.length > 3 || number?.length !== 8 || payload === undefined) return undefined;
  const sequence = Number(number.readBigUInt64BE());
  return Number.isSafeInteger(sequence) ? { sequence, payload } : undefined;
}

export interface ReplayOptions
  extends Omit<ZmtpOptions, "socketType" | "onReady" | "onMessage" | "onEnd"> {
  /** The first number that is asked for. */
  readonly from: number;
  /** Milliseconds in which a message must come: a peer may answer pings and nothing else. */
  readonly answerTimeoutMs: number;
  /** Milliseconds that it all may take. */
  readonly timeoutMs: number;
  readonly onBatch: (sequence: number, batch: KvEventBatch) => void;
  /** Called once. Without a reason the replay came to its end. */
  readonly onEnd: (failure?: string) => void;
}

/**
 * Asks a publisher for the messages that it still has: its ROUTER answers each as it was published, and one that is
 * empty after the last. Returns what ends it early.
 */
export function replay(options: ReplayOptions): () => void {
  const { answerTimeoutMs, timeoutMs } = options;
  let ended = false;
  let answers = 0;
  let answersBefore = -1;
  const close = () => {
    ended = true;
    clearInterval(silence);
    clearTimeout(late);
    connection.close();
  };
  const end = (failure?: string) => {
    if (ended) return;
    close();
    options.onEnd(failure);
  };
  const silence = setInterval(() => {
    // A process that stood still runs its timers first: what came meanwhile is read before.
    setImmediate(() => {
      if (answers === answersBefore) end(`no answer for ${answerTimeoutMs} ms`);
      answersBefore = answers;
    });
  }, answerTimeoutMs).unref();
  const late = setTimeout(() => end(`it took longer than ${timeoutMs} ms`), timeoutMs).unref();
  const connection: ZmtpConnection = new ZmtpConnection({
    ...options,
    socketType: "DEALER",
    onReady() {
      const from = Buffer.alloc(8);
      from.writeBigUInt64BE(BigInt(options.from));
      // An empty part is the envelope of a request.
      connection.send([Buffer.alloc(0), from]);
    },
    onMessage(parts) {
      answers += 1;
      const answer = parts[0]?.length === 0 ? parts.slice(1) : parts;
      if (answer.at(-1)?.length === 0) {
        end();
        return;
      }
      const message = numberedMessage(answer);
      if (message === undefined) {
        end(`an answer of ${parts.length} parts has no sequence number`);
        return;
      }
      try {
        options.onBatch(message.sequence, decodeBatch(message.payload));
      } catch (error) {
        end((error as Error).message);
      }
    },
    onEnd: end,
  });
  return close;
}
