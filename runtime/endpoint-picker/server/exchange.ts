import type { ProcessingRequest } from "../protocol/processing-request.ts";
import { RequestError } from "../request-error.ts";
import type { EndpointPicker, Launched } from "../request-path/route.ts";
import { type BodyMode, bodyModes } from "./body-mode.ts";
import { refusalAnswer } from "./refusal-answer.ts";
import { RequestPhase } from "./request-phase.ts";
import { ResponsePhase } from "./response-phase.ts";

/** Where an exchange sends its answers. */
export type Send = (answer: Buffer) => void;

/** How a refusal or failure that the client is not told in full is told to the operator. */
export type Report = (error: unknown) => void;

/**
 * One HTTP request through a proxy: the messages of one stream in, answers out. Knows the order of messages and
 * nothing of gRPC; a refusal is answered here and nowhere else.
 */
export class Exchange {
  readonly #picker: EndpointPicker;
  readonly #send: Send;
  readonly #report: Report;
  readonly #started: number;
  #modes: { request: BodyMode; response: BodyMode } | undefined;
  #request: RequestPhase | undefined;
  #response: ResponsePhase | undefined;
  #routed: Launched | undefined;
  #refused = false;

  constructor(picker: EndpointPicker, send: Send, report: Report) {
    this.#picker = picker;
    this.#send = send;
    this.#report = report;
    this.#started = picker.clock.now();
  }

  /** The client was answered in place of the server: nothing more is to be said. */
  get refused(): boolean {
    return this.#refused;
  }

  receive(message: ProcessingRequest): void {
    if (this.#refused) return;
    this.#modes ??= bodyModes(message.protocolConfig);
    try {
      this.#dispatch(message, this.#modes);
    } catch (error) {
      this.#refuse(error);
    }
  }

  /** The stream is over: what was launched has landed, answered or not. */
  close(): void {
    if (this.#routed === undefined) return;
    this.#routed.flight.end();
    this.#picker.observer.requestLanded(this.#routed.labels, this.#response?.summary());
    this.#routed = undefined;
  }

  #dispatch(message: ProcessingRequest, modes: { request: BodyMode; response: BodyMode }): void {
    switch (message.kind) {
      case "requestHeaders":
        this.#request = new RequestPhase(this.#picker, modes.request, this.#send, (routed) => {
          // The body is not kept for as long as the response takes.
          const { labels, flight, endpoints } = routed;
          this.#routed = { labels, flight, endpoints };
        });
        this.#request.headers(message);
        return;
      case "requestBody":
        this.#request?.body(message);
        return;
      case "requestTrailers":
        this.#request?.trailers(message);
        return;
      case "responseHeaders":
        this.#response = new ResponsePhase({
          picker: this.#picker,
          mode: modes.response,
          started: this.#started,
          routed: this.#routed,
          conformance: this.#request?.isConformanceTest ?? false,
          asksWhoServed: this.#request?.asksWhoServed ?? false,
          send: this.#send,
        });
        this.#response.headers(message);
        break;
      case "responseBody":
        this.#response?.body(message);
        break;
      case "responseTrailers":
        this.#response?.trailers();
        break;
      default:
        return;
    }
    if (this.#response?.ended) this.close();
  }

  #refuse(error: unknown): void {
    const refusal =
      error instanceof RequestError
        ? error
        : new RequestError("Internal", "the endpoint picker failed", { cause: error });
    // What a client did wrong it is told; what went wrong here the operator is told.
    if (refusal.code === "Internal") this.#report(refusal.cause ?? refusal);
    this.#refused = true;
    this.close();
    this.#send(refusalAnswer(refusal));
  }
}
