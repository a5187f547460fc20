import { constants, type ServerHttp2Stream } from "node:http2";
import { readProcessingRequest } from "../protocol/processing-request.ts";
import { WireError } from "../protocol/wire-reader.ts";
import type { EndpointPicker } from "../request-path/route.ts";
import { Exchange, type Report } from "./exchange.ts";
import { FrameError, FrameReader, frames, grpcStatus } from "./grpc-frames.ts";

/** Method that proxies call (envoy/service/ext_proc/v3/external_processor.proto). */
export const extProcPath = "/envoy.service.ext_proc.v3.ExternalProcessor/Process";

export interface ExtProcService {
  /** Takes a stream of the method. */
  serve(stream: ServerHttp2Stream): void;
  /** Streams that are open, for the drain. */
  openStreams(): number;
}

export interface ExtProcServiceOptions {
  /** Bytes of the largest message; -1 for any. Default -1: some proxies send a body in one message. */
  readonly maxReceiveBytes?: number;
}

/** envoy.service.ext_proc.v3.ExternalProcessor. `report` gets the cause of every failure that is no refusal. */
export function extProcService(
  picker: EndpointPicker,
  report: Report,
  { maxReceiveBytes = -1 }: ExtProcServiceOptions = {},
): ExtProcService {
  const { observer, clock } = picker;
  let open = 0;
  return {
    openStreams: () => open,
    serve(http2Stream) {
      const opened = clock.now();
      open += 1;
      observer.streamOpened();
      const stream = new ExtProcStream(picker, report, http2Stream, maxReceiveBytes);
      http2Stream.on("close", () => {
        open -= 1;
        stream.close();
        observer.streamClosed((clock.now() - opened) / 1000, stream.outcome);
      });
    },
  };
}

/** Ties an HTTP/2 stream to an exchange: the end of either side ends both. */
class ExtProcStream {
  readonly #stream: ServerHttp2Stream;
  readonly #exchange: Exchange;
  readonly #reader: FrameReader;
  readonly #report: Report;
  #answers: Buffer[] = [];
  #status: number = grpcStatus.ok;
  #message = "";

  constructor(
    picker: EndpointPicker,
    report: Report,
    stream: ServerHttp2Stream,
    maxReceiveBytes: number,
  ) {
    this.#stream = stream;
    this.#report = report;
    this.#reader = new FrameReader(maxReceiveBytes);
    this.#exchange = new Exchange(picker, (answer) => this.#answers.push(answer), report);
    stream.on("data", (bytes: Buffer) => this.#receive(bytes));
    // A half-closed stream is no abort: everything that came was answered at once.
    stream.on("end", () => this.#end());
    stream.on("wantTrailers", () => this.#sendTrailers());
    // `close` follows an error and says all of it.
    stream.on("error", () => {});
  }

  /** How the stream ended, as a gRPC status name. */
  get outcome(): string {
    if (this.#status === grpcStatus.ok)
      return this.#stream.rstCode === constants.NGHTTP2_NO_ERROR ? "OK" : "CANCELLED";
    return this.#status === grpcStatus.internal ? "INTERNAL" : "RESOURCE_EXHAUSTED";
  }

  close(): void {
    this.#exchange.close();
  }

  /** All answers to the bytes of one read leave in one write. */
  #receive(bytes: Buffer): void {
    try {
      this.#reader.push(bytes, (message) => this.#exchange.receive(readProcessingRequest(message)));
    } catch (error) {
      this.#fail(error);
    }
    this.#flush();
    if (this.#exchange.refused || this.#status !== grpcStatus.ok) this.#end();
  }

  #fail(error: unknown): void {
    this.#status = error instanceof FrameError ? error.code : grpcStatus.internal;
    this.#message = error instanceof WireError || error instanceof FrameError ? error.message : "";
    this.#report(error);
  }

  #flush(): void {
    if (this.#answers.length === 0 || this.#stream.destroyed) return;
    this.#respond();
    const bytes = frames(this.#answers);
    this.#answers = [];
    // A proxy that does not read gets no more to read.
    if (!this.#stream.write(bytes)) {
      this.#stream.pause();
      this.#stream.once("drain", () => this.#stream.resume());
    }
  }

  #respond(): void {
    if (this.#stream.headersSent) return;
    this.#stream.respond(
      { ":status": 200, "content-type": "application/grpc" },
      { waitForTrailers: true },
    );
  }

  #end(): void {
    if (this.#stream.destroyed || this.#stream.writableEnded) return;
    this.#respond();
    this.#stream.end();
  }

  #sendTrailers(): void {
    const message =
      this.#message === "" ? {} : { "grpc-message": encodeURIComponent(this.#message) };
    this.#stream.sendTrailers({ "grpc-status": String(this.#status), ...message });
  }
}
