import { RequestError } from "../../../scheduling/request-error.ts";
import { beginTrace, type RequestTrace } from "../decisions/request-trace.ts";
import type { ProcessingRequest } from "../protocol/processing-request.ts";
import type { Dispatched } from "../request-path/pending-request.ts";
import type { EndpointPicker } from "../request-path/route.ts";
import { type BodyMode, bodyModes } from "./body-mode.ts";
import { refusalAnswer } from "./refusal-answer.ts";
import { RequestPhase } from "./request-phase.ts";
import { ResponsePhase } from "./response-phase.ts";

/** Messages in an order that the protocol does not have. */
export class ProtocolError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ProtocolError";
  }
}

/** Takes the answers of an exchange. */
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
  readonly #proxyGoesOn: boolean;
  #modes: { request: BodyMode; response: BodyMode } | undefined;
  #request: RequestPhase | undefined;
  #response: ResponsePhase | undefined;
  #routed: Dispatched | undefined;
  #trace: RequestTrace | undefined;
  #over = false;
  #left = false;

  /** @param proxyGoesOn the proxy goes on by itself when the picker ends the stream in good order */
  constructor(picker: EndpointPicker, send: Send, report: Report, proxyGoesOn = false) {
    this.#picker = picker;
    this.#send = send;
    this.#report = report;
    this.#proxyGoesOn = proxyGoesOn;
    this.#started = picker.clock.now();
  }

  /** A body may still come. */
  get awaitsBody(): boolean {
    return !this.#over && this.#request?.picked === false;
  }

  /** Priority of the request, as far as it is known. */
  get priority(): number {
    return this.#request?.priority ?? 0;
  }

  /**
   * Nothing more is to be said: the client was answered in place of the server, or the request has its endpoint and its
   * response is not the picker's business.
   */
  get over(): boolean {
    return this.#over;
  }

  /** The proxy goes on by itself: the response is not the picker's business. */
  get left(): boolean {
    return this.#left;
  }

  /** The request came in full, and waits for a model server to have room for it. */
  get queued(): boolean {
    return !this.#over && this.#request?.queued === true;
  }

  /** The request is on its way, or was refused. */
  get requestAnswered(): boolean {
    return this.#over || (this.#request?.answered ?? false);
  }

  /** @throws ProtocolError for messages that no proxy sends */
  receive(message: ProcessingRequest): void {
    if (this.#over) return;
    if (message.kind === "requestHeaders" && this.#request !== undefined)
      throw new ProtocolError("a second request arrived on a stream, which carries only one");
    this.#modes ??= bodyModes(message.protocolConfig);
    try {
      this.#dispatch(message, this.#modes);
      if (this.#mayLeave()) this.#leave();
    } catch (error) {
      this.refuse(error);
    }
  }

  /** Part of what came is not read yet: `readOn` is due, and no other message. */
  get readsOn(): boolean {
    return !this.#over && this.#request?.readsOn === true;
  }

  /** Reads a part that takes no longer than others may wait. */
  readOn(): void {
    try {
      this.#request?.readOn();
      if (this.#mayLeave()) this.#leave();
    } catch (error) {
      this.refuse(error);
    }
  }

  /** A step that no message began. */
  #outOfTurn(step: () => void): void {
    try {
      step();
      if (this.#mayLeave()) this.#leave();
    } catch (error) {
      this.refuse(error);
    }
  }

  /** The stream is over: a dispatched request completes, answered or not. */
  close(): void {
    this.#request?.close();
    const summary = this.#routed && this.#response?.summary();
    this.#trace?.end(summary);
    if (this.#routed === undefined) return;
    const { inFlight, labels, record } = this.#routed;
    inFlight.end(this.#picker.clock.now(), summary?.usage, this.#response?.isEmpty);
    if (record !== undefined) {
      record.response = summary;
      record.startedAt = this.#started;
    }
    this.#picker.observer.requestCompleted(labels, summary);
    this.#routed = undefined;
  }

  /** Whether the proxy can do the rest by itself, so that the picker's end breaks no answer. */
  #mayLeave(): boolean {
    const request = this.#request;
    return (
      this.#proxyGoesOn &&
      !this.#picker.options.followResponses &&
      this.#response === undefined &&
      request?.answered === true &&
      !request.isConformanceTest &&
      !request.asksWhoServed &&
      (this.#routed === undefined || isNobodysBusiness(this.#routed))
    );
  }

  /** The request goes on without being watched. */
  #leave(): void {
    const routed = this.#routed;
    if (routed !== undefined) {
      const completed = () => this.#picker.observer.requestCompleted(routed.labels, undefined);
      if (!routed.inFlight.unwatch(this.#picker.clock.now(), completed)) return;
    }
    this.#trace?.end(undefined);
    this.#routed = undefined;
    this.#left = true;
    this.#over = true;
  }

  #dispatch(message: ProcessingRequest, modes: { request: BodyMode; response: BodyMode }): void {
    switch (message.kind) {
      case "requestHeaders":
        this.#trace = beginTrace(this.#picker, message.headers, this.#started);
        this.#request = new RequestPhase(this.#picker, modes.request, this.#send, {
          trace: this.#trace,
          onRouted: (routed) => {
            // The body is not kept for as long as the response takes.
            const { mutation: _, ...rest } = routed;
            this.#routed = rest;
          },
          onRefused: (error) => this.refuse(error),
          outOfTurn: (step) => this.#outOfTurn(step),
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
        break;
      case "responseBody":
      case "responseTrailers":
        break;
      default:
        return;
    }
    this.#response?.receive(message);
    if (this.#response?.ended) this.close();
  }

  /** Sends the client an answer in place of the server's. */
  refuse(error: unknown): void {
    const refusal =
      error instanceof RequestError
        ? error
        : new RequestError("Internal", "the endpoint picker failed", { cause: error });
    // What a client did wrong it is told; what went wrong here the operator is told.
    if (refusal.code === "Internal") this.#report(refusal.cause ?? refusal);
    this.#over = true;
    this.#trace?.refused(refusal);
    this.close();
    this.#send(refusalAnswer(refusal));
  }
}

/** No name is to be restored, no id to be marked, no header to be set, and no LLMService counts the answer for its status. */
const isNobodysBusiness = ({ labels, inFlight, createsConversation }: Dispatched): boolean =>
  !createsConversation &&
  labels.service === undefined &&
  (labels.model === "" || labels.model === labels.targetModel) &&
  inFlight.responseHeaders.length === 0;
