import type { KvEventBatch } from "../../../scheduling/kv-index/kv-event.ts";
import { decodeBatch } from "./decode-batch.ts";
import { ZmtpConnection, type ZmtpOptions } from "./zmtp.ts";

/** A message of a publisher: `[topic, number, payload]`. */
export interface NumberedMessage {
  readonly sequence: number;
  readonly payload: Buffer;
}

/** Parses the parts of a published message; undefined if they have another form. */
export function numberedMessage(parts: readonly Buffer[]): NumberedMessage | undefined {
  const [number, payload] = parts.slice(-2);
  if (parts.length > 3 || number?.length !== 8 || payload === undefined) return undefined;
  const sequence = Number(number.readBigUInt64BE());
  return Number.isSafeInteger(sequence) ? { sequence, payload } : undefined;
}

export interface ReplayOptions
  extends Omit<ZmtpOptions, "socketType" | "onReady" | "onMessage" | "onEnd"> {
  /** First sequence number to request. */
  readonly from: number;
  /** Timeout for the next message, in ms. A peer may respond to pings and send nothing else. */
  readonly answerTimeoutMs: number;
  /** Timeout for the whole replay, in ms. */
  readonly timeoutMs: number;
  readonly onBatch: (sequence: number, batch: KvEventBatch) => void;
  /** Called once. `failure` is undefined if the replay is complete. */
  readonly onEnd: (failure?: string) => void;
}

/**
 * Requests the messages that a publisher still has. Its ROUTER socket sends each message as it was published, and an
 * empty message at the end. Returns a function that ends the replay early.
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
    // After a stall of the process, timers run before I/O. Received data is read first.
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
      // An empty part delimits the request.
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
