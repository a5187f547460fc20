import { constants, type ServerHttp2Stream } from "node:http2";
import { RequestError } from "../../../scheduling/request-error.ts";
import type { Clock } from "../clock.ts";
import type { Observer } from "../observer.ts";
import { readProcessingRequest } from "../protocol/processing-request.ts";
import { leavingNotice } from "../protocol/processing-response.ts";
import { WireError } from "../protocol/wire-reader.ts";
import { type BodyBudget, type HeldBody, tooLarge } from "../request-path/body-budget.ts";
import { endAtOnce, trailWithOk } from "./end-at-once.ts";
import { type Exchange, ProtocolError, type Report, type Send } from "./exchange.ts";
import { FrameError, FrameReader, frames, grpcStatus } from "./grpc-frames.ts";
import { streamWindow } from "./grpc-server.ts";
import { shortBytes, TurnShare, type Turns } from "./turns.ts";

/** What a stream carries: one HTTP request, its messages in and answers out. Members are those of `Exchange`. */
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

/** What becomes of requests. */
export interface Processor {
  readonly bodies: BodyBudget;
  readonly clock: Clock;
  readonly observer: Pick<Observer, "streamOpened" | "streamClosed">;
  /** @param proxyGoesOn the proxy goes on by itself when the stream ends in good order */
  exchange(send: Send, report: Report, proxyGoesOn: boolean): StreamExchange;
}

export interface StreamOptions {
  readonly maxReceiveBytes: number;
  readonly turns: Turns;
  readonly proxyGoesOn: boolean;
  readonly isRelayed: boolean;
}

const statusNames = new Map<number, string>([
  [grpcStatus.invalidArgument, "INVALID_ARGUMENT"],
  [grpcStatus.deadlineExceeded, "DEADLINE_EXCEEDED"],
  [grpcStatus.resourceExhausted, "RESOURCE_EXHAUSTED"],
  [grpcStatus.unimplemented, "UNIMPLEMENTED"],
  [grpcStatus.internal, "INTERNAL"],
]);

/** A frame of HTTP/2 that is shorter costs more than what it brings. */
const shortFrame = 64;

/** Short frames, one after the other, after which those that follow are collected until the next turn. */
const shortFrames = 8;

/** Bytes of answers to one read that wait to be written together. */
const maxUnwritten = 256 * 1024;

const responseHeaders = { ":status": 200, "content-type": "application/grpc" };
/** gRPC knows no date. */
const responseOptions = { waitForTrailers: true, sendDate: false };

/** Bytes of answers that the proxy has not read, from which on its stream is paused. */
const maxUnread = 16 * 1024;

/** Ties an HTTP/2 stream to an exchange: the end of either side ends both. */
export class ExtProcStream implements HeldBody {
  readonly #stream: ServerHttp2Stream;
  readonly #exchange: StreamExchange;
  readonly #reader: FrameReader;
  readonly #report: Report;
  readonly #bodies: BodyBudget;
  readonly #share: TurnShare;
  readonly #isRelayed: boolean;
  #answers: Buffer[] = [];
  #unwritten = 0;
  /** Bytes of the write that is on its way. */
  #writing = 0;
  #reading = false;
  /** Short frames that came one after the other. */
  #shortFrames = 0;
  /** It has used its share of a turn, and goes on in a later one. */
  #waitsForTurn = false;
  /** The proxy does not read what was written. */
  #waitsForProxy = false;
  /** The proxy has sent all that it sends. */
  #inputEnded = false;
  #status: number = grpcStatus.ok;
  #message = "";
  #endsAtOnce = false;

  constructor(
    processor: Processor,
    report: Report,
    stream: ServerHttp2Stream,
    { maxReceiveBytes, turns, proxyGoesOn, isRelayed }: StreamOptions,
  ) {
    this.#isRelayed = isRelayed;
    this.#stream = stream;
    this.#report = report;
    this.#reader = new FrameReader(maxReceiveBytes);
    this.#bodies = processor.bodies;
    this.#share = new TurnShare(turns);
    const send = (answer: Buffer) => {
      this.#answers.push(answer);
      this.#unwritten += answer.length;
      // Out of turn, as where a body gives way to another one.
      if (!this.#reading) queueMicrotask(() => this.#settle());
    };
    this.#exchange = processor.exchange(send, report, proxyGoesOn);
    stream.on("data", (bytes: Buffer) => this.#receive(bytes));
    // A half-closed stream is not aborted: first everything that came is answered. But a request that waits has lost its client.
    stream.on("end", () => {
      this.#inputEnded = true;
      if (this.#exchange.queued) this.#exchange.close();
      if (!this.#pauses) this.#end();
    });
    stream.on("wantTrailers", () => this.#sendTrailers());
    // `close` follows an error and says all of it.
    stream.on("error", () => {});
  }

  /** How the stream ended, as a gRPC status name. */
  get outcome(): string {
    if (this.#status !== grpcStatus.ok) return statusNames.get(this.#status) ?? "UNKNOWN";
    const { rstCode } = this.#stream;
    return rstCode === constants.NGHTTP2_NO_ERROR || this.#exchange.over ? "OK" : "CANCELLED";
  }

  /** The request has not come in full. */
  get waits(): boolean {
    return !this.#exchange.requestAnswered && !this.#exchange.queued;
  }

  /** What came of a message gives way as the body of its request does. */
  get priority(): number {
    return this.#exchange.priority ?? 0;
  }

  close(): void {
    this.#exchange.close();
    this.#bodies.release(this);
    this.#reader.drop();
  }

  /** The part of a message that came gives way to another body. */
  giveWay(error: RequestError): void {
    this.#exchange.refuse(error);
  }

  /** The rest of the request does not come. */
  giveUpWaiting(seconds: number): void {
    const message = `the request was not complete within ${seconds} s`;
    this.#exchange.refuse(new RequestError("RequestTimeout", message));
  }

  /** The stream has been open for too long. */
  expire(): void {
    this.#status = grpcStatus.deadlineExceeded;
    this.#settle();
  }

  /** All answers to the bytes of one read leave in one write, unless there is much to write. */
  #receive(bytes: Buffer): void {
    // What a client that was refused still sends is of no interest.
    if (this.#isOver) return;
    this.#shortFrames = bytes.length < shortFrame ? this.#shortFrames + 1 : 0;
    this.#read(bytes);
  }

  /** Takes what came, or goes on with what was read and not taken. */
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

  /** Until the next turn as much of a body may come as the window lets through. */
  #reserve(): void {
    const { budget } = this.#reader;
    const coming = this.#waitsForTurn ? streamWindow : 0;
    if (this.#exchange.awaitsBody) this.#bodies.hold(this, budget + coming);
    else this.#bodies.pass(this, budget);
  }

  /** Returns whether the next message may be taken: not while the proxy is slower than its messages, or others wait. */
  readonly #take = (message: Buffer): boolean => {
    if (message.length > shortBytes) this.#share.measure();
    else this.#share.count();
    this.#exchange.receive(readProcessingRequest(message));
    return this.#finish();
  };

  /** What the last message began. */
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
    this.#stream.pause();
    this.#share.wait(() => {
      this.#waitsForTurn = false;
      this.#goOn();
    });
  }

  /** First with what was read and not taken. */
  #goOn(): void {
    if (this.#pauses || this.#stream.destroyed) return;
    this.#shortFrames = 0;
    if (!this.#isOver) this.#read(undefined);
    if (this.#pauses) return;
    // What came meanwhile, in one piece however many frames it was.
    this.#stream.read();
    if (this.#pauses) return;
    if (this.#inputEnded) this.#end();
    else this.#stream.resume();
  }

  get #isOver(): boolean {
    return this.#exchange.over || this.#status !== grpcStatus.ok;
  }

  #settle(): void {
    if (!this.#isOver) {
      this.#flush();
      return;
    }
    this.#reader.drop();
    this.#bodies.release(this);
    this.#end();
  }

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
    // Only a body is as long as that.
    const isTooLong = error instanceof FrameError && error.code === grpcStatus.resourceExhausted;
    return isTooLong && this.#exchange.awaitsBody ? tooLarge(this.#bodies.maxBody) : undefined;
  }

  /** What is answered while a write is on its way leaves in the next one. */
  #flush(): void {
    if (this.#answers.length === 0 || this.#stream.destroyed) return;
    if (this.#writing === 0) {
      this.#respond();
      this.#writing = this.#unwritten;
      this.#stream.write(this.#takeAnswers(), this.#onWritten);
    }
    // Back-pressure: reading pauses while the proxy does not drain.
    if (this.#waitsForProxy || this.#writing + this.#unwritten < maxUnread) return;
    this.#waitsForProxy = true;
    this.#stream.pause();
  }

  readonly #onWritten = (): void => {
    this.#writing = 0;
    if (this.#stream.destroyed || this.#stream.writableEnded) return;
    this.#flush();
    if (!this.#waitsForProxy || this.#writing >= maxUnread) return;
    this.#waitsForProxy = false;
    this.#goOn();
  };

  #takeAnswers(): Buffer {
    const bytes = frames(this.#answers);
    this.#answers = [];
    this.#unwritten = 0;
    return bytes;
  }

  #respond(): void {
    if (this.#stream.headersSent) return;
    this.#stream.respond(responseHeaders, responseOptions);
  }

  /** A stream that the picker leaves ends in one write with the last answers, once those before are written. */
  #end(): void {
    const stream = this.#stream;
    if (stream.destroyed || stream.writableEnded || this.#endsAtOnce) return;
    this.#respond();
    if (this.#exchange.left) {
      this.#endsAtOnce = true;
      if (this.#isRelayed) this.#answers.splice(-1, 0, leavingNotice);
      endAtOnce(stream, this.#takeAnswers());
    } else if (this.#answers.length > 0) stream.end(this.#takeAnswers());
    else stream.end();
    // What still comes is read and dropped: nobody waits for room.
    if (!this.#inputEnded) stream.resume();
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
