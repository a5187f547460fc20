import { RequestError } from "../../../scheduling/request-error.ts";
import { beginTrace, type RequestTrace } from "../decisions/request-trace.ts";
import type { ProcessingRequest } from "../protocol/processing-request.ts";
import type { Dispatched } from "../request-path/pending-request.ts";
import type { EndpointPicker } from "../request-path/route.ts";
import { type BodyMode, bodyModes } from "./body-mode.ts";
import { refusalAnswer } from "./refusal-answer.ts";
import { RequestPhase } from "./request-phase.ts";
import { ResponsePhase } from "./response-phase.ts";

/** Messages in an order that the protocol does not allow. */
export class ProtocolError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ProtocolError";
  }
}

/** Sends an answer of the exchange to the proxy. */
export type Send = (answer: Buffer) => void;

/** Reports an error to the operator; the client does not get its details. */
export type Report = (error: unknown) => void;

/**
 * One HTTP request through a proxy: takes the messages of one stream and sends the answers. Handles the order of
 * messages, not gRPC. Only this class answers a refusal.
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

  /** @param proxyGoesOn whether the proxy continues on its own when the picker ends the stream with status OK */
  constructor(picker: EndpointPicker, send: Send, report: Report, proxyGoesOn = false) {
    this.#picker = picker;
    this.#send = send;
    this.#report = report;
    this.#proxyGoesOn = proxyGoesOn;
    this.#started = picker.clock.now();
  }

  /** Body messages may still arrive. */
  get awaitsBody(): boolean {
    return !this.#over && this.#request?.picked === false;
  }

  /** Priority of the request, as known so far. Default 0. */
  get priority(): number {
    return this.#request?.priority ?? 0;
  }

  /**
   * The exchange is done: the client got an immediate response, or the request was routed and the response is not
   * observed.
   */
  get over(): boolean {
    return this.#over;
  }

  /** The picker has left the stream: the proxy continues on its own and the response is not observed. */
  get left(): boolean {
    return this.#left;
  }

  /** The request was received in full and waits for a free slot. */
  get queued(): boolean {
    return !this.#over && this.#request?.queued === true;
  }

  /** The request was sent to an endpoint or refused. */
  get requestAnswered(): boolean {
    return this.#over || (this.#request?.answered ?? false);
  }

  /** @throws ProtocolError for a second request on the stream */
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

  /** Part of the received body is unparsed: call `readOn` before the next message. */
  get readsOn(): boolean {
    return !this.#over && this.#request?.readsOn === true;
  }

  /** Parses the next part of the body, which is small enough not to delay other streams. */
  readOn(): void {
    try {
      this.#request?.readOn();
      if (this.#mayLeave()) this.#leave();
    } catch (error) {
      this.refuse(error);
    }
  }

  /** Runs a step that no message caused, such as the dispatch of a queued request. */
  #outOfTurn(step: () => void): void {
    try {
      step();
      if (this.#mayLeave()) this.#leave();
    } catch (error) {
      this.refuse(error);
    }
  }

  /** The stream is over: completes a dispatched request, even if it was not answered. */
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

  /** Whether the proxy needs nothing more from the picker, so that ending the stream does not break the response. */
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

  /** Leaves the request: its response is not observed. */
  #leave(): void {
    const routed = this.#routed;
    if (routed !== undefined) {
      const completed = () => this.#picker.observer.requestCompleted(routed.labels, undefined);
      if (!routed.inFlight.unobserve(this.#picker.clock.now(), completed)) return;
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
            // Drops the body: it is not needed during the response.
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

  /** Sends the client an immediate response instead of the server's. */
  refuse(error: unknown): void {
    const refusal =
      error instanceof RequestError
        ? error
        : new RequestError("Internal", "the endpoint picker failed", { cause: error });
    // Only the operator gets the details of an internal error.
    if (refusal.code === "Internal") this.#report(refusal.cause ?? refusal);
    this.#over = true;
    this.#trace?.refused(refusal);
    this.close();
    this.#send(refusalAnswer(refusal));
  }
}

/** The response needs no model name restored, no id marked and no header set, and no LLMService counts its status. */
const isNobodysBusiness = ({ labels, inFlight, createsConversation }: Dispatched): boolean =>
  !createsConversation &&
  labels.service === undefined &&
  (labels.model === "" || labels.model === labels.targetModel) &&
  inFlight.responseHeaders.length === 0;
