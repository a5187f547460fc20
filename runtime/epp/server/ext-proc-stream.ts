import { constants, type ServerHttp2Stream } from "node:http2";
import { RequestError } from "../../../scheduling/requests/request-error.ts";
import { limits } from "../../limits.ts";
import { FrameError, FrameReader, frames, grpcStatus } from "../../manager/grpc/grpc-frames.ts";
import { streamWindow } from "../../manager/grpc/grpc-server.ts";
import { PausedInput } from "../../manager/grpc/paused-input.ts";
import { peerAddress } from "../../manager/grpc/peer-address.ts";
import type { HeldBytes, Holder, Holding } from "../../manager/held-bytes.ts";
import type { Clock } from "../clock.ts";
import type { Observer } from "../observer.ts";
import { readProcessingRequest } from "../protocol/processing-request.ts";
import { leavingNotice } from "../protocol/processing-response.ts";
import { WireError } from "../protocol/wire-reader.ts";
import { type BodyBudget, type HeldBody, tooLarge } from "../request-path/body-budget.ts";
import { endAtOnce, trailWithOk } from "./end-at-once.ts";
import { type Exchange, ProtocolError, type Report, type Send } from "./exchange.ts";
import { shortBytes, TurnShare, type Turns } from "./turns.ts";

/** The exchange of one stream: takes the messages of one HTTP request and sends the answers. See `Exchange`. */
export type StreamExchange = Pick<
  Exchange,
  | "awaitsBody"
  | "over"
  | "left"
  | "queued"
  | "requestAnswered"
  | "receive"
  | "readsOn"
  | "readOn"
  | "refuse"
  | "close"
> &
  Partial<Pick<Exchange, "priority">>;

/** Handles the requests of streams. */
export interface Processor {
  readonly bodies: BodyBudget;
  readonly clock: Clock;
  readonly observer: Pick<Observer, "streamOpened" | "streamClosed">;
  /** @param proxyGoesOn whether the proxy continues on its own when the stream ends with status OK */
  exchange(send: Send, report: Report, proxyGoesOn: boolean): StreamExchange;
}

export interface StreamOptions {
  readonly maxReceiveBytes: number;
  readonly turns: Turns;
  readonly proxyGoesOn: boolean;
  readonly isRelayed: boolean;
  readonly held: HeldBytes;
}

const statusNames = new Map<number, string>([
  [grpcStatus.invalidArgument, "INVALID_ARGUMENT"],
  [grpcStatus.deadlineExceeded, "DEADLINE_EXCEEDED"],
  [grpcStatus.resourceExhausted, "RESOURCE_EXHAUSTED"],
  [grpcStatus.unimplemented, "UNIMPLEMENTED"],
  [grpcStatus.internal, "INTERNAL"],
]);

/** HTTP/2 frames of fewer bytes count as short: their overhead exceeds their content. */
const shortFrame = 64;

/** Number of consecutive short frames after which later frames are collected until the next turn. */
const shortFrames = 8;

/** Bytes of collected answers to one read above which they are written before the read is complete. */
const maxUnwritten = 256 * 1024;

const responseHeaders = { ":status": 200, "content-type": "application/grpc" };
/** gRPC does not use the date header. */
const responseOptions = { waitForTrailers: true, sendDate: false };

/** Number of bytes of unread answers from which on the picker stops reading from the proxy's stream. */
const maxUnread = 16 * 1024;

/** Bytes counted for a request that is not complete: the budgets of bodies do not count small ones. */
const incompleteRequest = 2 * limits.unheldRequest.value;

/** Connects an HTTP/2 stream to an exchange: when one ends, the other ends too. */
export class ExtProcStream implements HeldBody, Holder {
  readonly #stream: ServerHttp2Stream;
  readonly #exchange: StreamExchange;
  readonly #reader: FrameReader;
  readonly #report: Report;
  readonly #bodies: BodyBudget;
  readonly #share: TurnShare;
  readonly #input: PausedInput;
  /** Bytes of answers that the proxy has not read, and of input that is not parsed until the proxy reads them. */
  readonly #holding: Holding;
  readonly #isRelayed: boolean;
  #answers: Buffer[] = [];
  #unwritten = 0;
  /** Bytes of the pending write. */
  #writing = 0;
  #reading = false;
  /** Number of consecutive short frames. */
  #shortFrames = 0;
  /** The stream has used its share of a turn, and continues in a later one. */
  #waitsForTurn = false;
  /** The proxy does not read the written answers. */
  #waitsForProxy = false;
  /** The proxy has half-closed the stream. */
  #inputEnded = false;
  #status: number = grpcStatus.ok;
  #message = "";
  #endsAtOnce = false;

  constructor(
    processor: Processor,
    report: Report,
    stream: ServerHttp2Stream,
    { maxReceiveBytes, turns, proxyGoesOn, isRelayed, held }: StreamOptions,
  ) {
    this.#isRelayed = isRelayed;
    this.#stream = stream;
    this.#report = report;
    this.#reader = new FrameReader(maxReceiveBytes);
    this.#bodies = processor.bodies;
    this.#share = new TurnShare(turns);
    this.#input = new PausedInput(stream, this.#count);
    this.#holding = held.enter(peerAddress(stream), this);
    const send = (answer: Buffer) => {
      this.#answers.push(answer);
      this.#unwritten += answer.length;
      // Outside a read, for example when a body is evicted.
      if (!this.#reading) queueMicrotask(() => this.#settle());
    };
    this.#exchange = processor.exchange(send, report, proxyGoesOn);
    stream.on("data", (bytes: Buffer) => this.#receive(bytes));
    // A half-closed stream is not aborted: everything received is answered first. But a queued request has lost its
    // client.
    stream.on("end", () => {
      this.#inputEnded = true;
      if (this.#exchange.queued) this.#exchange.close();
      if (!this.#pauses) this.#end();
    });
    stream.on("wantTrailers", () => this.#sendTrailers());
    // `close` follows every error, and handles it.
    stream.on("error", () => {});
  }

  /** How the stream ended, as a gRPC status name. */
  get outcome(): string {
    if (this.#status !== grpcStatus.ok) return statusNames.get(this.#status) ?? "UNKNOWN";
    const { rstCode } = this.#stream;
    return rstCode === constants.NGHTTP2_NO_ERROR || this.#exchange.over ? "OK" : "CANCELLED";
  }

  /** The request has not been received in full. */
  get waits(): boolean {
    return !this.#exchange.requestAnswered && !this.#exchange.queued;
  }

  /** Priority of the request: the received part of a message is evicted like the request's body. */
  get priority(): number {
    return this.#exchange.priority ?? 0;
  }

  close(): void {
    this.#exchange.close();
    this.#bodies.release(this);
    this.#reader.drop();
    this.#holding.leave();
  }

  /** The bytes of the stream are needed for others. */
  evict(): void {
    this.#status = grpcStatus.resourceExhausted;
    this.#stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    this.#stream.destroy();
  }

  /** The received part of a message is evicted for another body. */
  giveWay(error: RequestError): void {
    this.#exchange.refuse(error);
  }

  /** Refuses a request that was not received in full in time. */
  giveUpWaiting(seconds: number): void {
    const message = `the request was not complete within ${seconds} s`;
    this.#exchange.refuse(new RequestError("RequestTimeout", message));
  }

  /** Ends a stream that has been open for too long. */
  expire(): void {
    this.#status = grpcStatus.deadlineExceeded;
    this.#settle();
  }

  /** Reads received bytes. All answers to them leave in one write, unless they exceed `maxUnwritten`. */
  #receive(bytes: Buffer): void {
    // Ignores further data of a client that was refused.
    if (this.#isOver) return;
    this.#shortFrames = bytes.length < shortFrame ? this.#shortFrames + 1 : 0;
    this.#read(bytes);
  }

  /** Reads received bytes; undefined continues with the bytes that are still buffered. */
  #read(bytes: Buffer | undefined): void {
    this.#reading = true;
    this.#share.begin();
    this.#share.count();
    if (bytes === undefined || bytes.length > shortBytes) this.#share.measure();
    try {
      if (bytes !== undefined) this.#reader.push(bytes, this.#take);
      else if (this.#finish()) this.#reader.resume(this.#take);
      if (!this.#isOver && (this.#share.isUsed || this.#shortFrames >= shortFrames))
        this.#waitForTurn();
      this.#reserve();
    } catch (error) {
      this.#fail(error);
    }
    this.#share.end();
    this.#reading = false;
    this.#settle();
  }

  /** Updates the bytes held in the budget. A stream that waits for its turn may receive a full window until then. */
  #reserve(): void {
    const { budget } = this.#reader;
    const coming = this.#waitsForTurn ? streamWindow : 0;
    if (this.#exchange.awaitsBody) this.#bodies.hold(this, budget + coming);
    else this.#bodies.pass(this, budget);
  }

  /**
   * Takes a message. Returns whether to read the next message: false while the proxy reads too slowly or other streams
   * wait.
   */
  readonly #take = (message: Buffer): boolean => {
    if (message.length > shortBytes) this.#share.measure();
    else this.#share.count();
    this.#exchange.receive(readProcessingRequest(message));
    return this.#finish();
  };

  /** Completes the work of the last message. Returns whether to read the next one. */
  #finish(): boolean {
    if (this.#exchange.readsOn) this.#share.measure();
    while (this.#exchange.readsOn && !this.#share.isUsed) this.#exchange.readOn();
    if (this.#unwritten > maxUnwritten && !this.#isOver) this.#flush();
    return !this.#isOver && !this.#waitsForProxy && !this.#share.isUsed;
  }

  get #pauses(): boolean {
    return this.#waitsForTurn || this.#waitsForProxy;
  }

  #waitForTurn(): void {
    if (this.#waitsForTurn) return;
    this.#waitsForTurn = true;
    this.#input.pause();
    this.#share.wait(() => {
      this.#waitsForTurn = false;
      this.#goOn();
    });
  }

  /** Continues reading, first with buffered messages. */
  #goOn(): void {
    if (this.#pauses || this.#stream.destroyed) return;
    this.#shortFrames = 0;
    if (!this.#isOver) this.#read(undefined);
    if (this.#pauses) return;
    // Reads everything received in the meantime in one piece, however many frames it was.
    this.#input.read();
    if (this.#pauses) return;
    if (this.#inputEnded) this.#end();
    else this.#input.resume();
  }

  get #isOver(): boolean {
    return this.#exchange.over || this.#status !== grpcStatus.ok;
  }

  #settle(): void {
    if (this.#isOver) {
      this.#reader.drop();
      this.#bodies.release(this);
      this.#end();
    } else this.#flush();
    this.#count();
  }

  /** Updates the bytes that wait for the proxy. */
  readonly #count = (): void => {
    const answers = this.#unwritten + this.#writing;
    const request = this.#exchange.awaitsBody ? incompleteRequest : 0;
    this.#holding.hold(answers + this.#input.bytes + this.#reader.budget + request);
  };

  #fail(error: unknown): void {
    const refusal = this.#refusalOf(error);
    if (refusal !== undefined) {
      this.#exchange.refuse(refusal);
      return;
    }
    this.#status = statusOf(error);
    this.#message =
      error instanceof WireError || error instanceof FrameError || error instanceof ProtocolError
        ? error.message
        : "";
    this.#report(error);
  }

  /** Returns the refusal that the client gets; undefined if the proxy's stream fails instead. */
  #refusalOf(error: unknown): RequestError | undefined {
    if (error instanceof RequestError) return error;
    // Only a message with a body can exceed the limit.
    const isTooLong = error instanceof FrameError && error.code === grpcStatus.resourceExhausted;
    return isTooLong && this.#exchange.awaitsBody ? tooLarge(this.#bodies.maxBody) : undefined;
  }

  /** Writes the answers. Answers made during a write are sent with the next one. */
  #flush(): void {
    // A stream whose connection has ended is closed, and destroyed in a later turn of the event loop.
    if (this.#answers.length === 0 || this.#stream.closed) return;
    if (this.#writing === 0) {
      this.#respond();
      this.#stream.write(this.#takeAnswers(), this.#onWritten);
    }
    // Backpressure: reading pauses while the proxy does not read.
    if (this.#waitsForProxy || this.#writing + this.#unwritten < maxUnread) return;
    this.#waitsForProxy = true;
    this.#input.pause();
  }

  readonly #onWritten = (): void => {
    this.#writing = this.#stream.writableLength;
    if (!this.#stream.destroyed && !this.#stream.writableEnded) this.#goOnWriting();
    this.#count();
  };

  #goOnWriting(): void {
    this.#flush();
    if (!this.#waitsForProxy || this.#writing >= maxUnread) return;
    this.#waitsForProxy = false;
    this.#goOn();
  }

  #takeAnswers(): Buffer {
    const bytes = frames(this.#answers);
    this.#answers = [];
    this.#writing += this.#unwritten;
    this.#unwritten = 0;
    return bytes;
  }

  #respond(): void {
    if (this.#stream.headersSent) return;
    this.#stream.respond(responseHeaders, responseOptions);
  }

  /**
   * Ends the stream. If the picker leaves it, the last answers and the end are in one write, after all earlier writes.
   */
  #end(): void {
    const stream = this.#stream;
    if (stream.destroyed || stream.writableEnded || this.#endsAtOnce) return;
    this.#respond();
    if (this.#exchange.left) {
      this.#endsAtOnce = true;
      if (this.#isRelayed) this.#answers.splice(-1, 0, leavingNotice);
      endAtOnce(stream, this.#takeAnswers());
    } else if (this.#answers.length > 0) stream.end(this.#takeAnswers(), this.#onWritten);
    else stream.end();
    // Reads and drops further data, so that the proxy is not blocked.
    if (!this.#inputEnded) this.#input.resume();
  }

  #sendTrailers(): void {
    if (this.#endsAtOnce) return;
    if (this.#status === grpcStatus.ok && trailWithOk(this.#stream)) return;
    const message =
      this.#message === "" ? {} : { "grpc-message": encodeURIComponent(this.#message) };
    this.#stream.sendTrailers({ "grpc-status": String(this.#status), ...message });
  }
}

function statusOf(error: unknown): number {
  if (error instanceof FrameError) return error.code;
  return error instanceof ProtocolError ? grpcStatus.invalidArgument : grpcStatus.internal;
}
