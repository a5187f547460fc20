import { RequestError } from "../../../scheduling/requests/request-error.ts";
import { beginTrace, type RequestTrace } from "../decisions/request-trace.ts";
import type { Observer, RequestLabels } from "../observer.ts";
import type { ProcessingRequest } from "../protocol/processing-request.ts";
import { controlHeader } from "../request-path/control-headers.ts";
import type { Dispatched, RoutedRequest } from "../request-path/pending-request.ts";
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

/** Headers that the client asked for in its response. */
interface Wishes {
  /** The conformance suite sent the request, so the response gets the suite's header. */
  readonly conformance: boolean;
  /** The client asked which endpoint serves it. */
  readonly asksWhoServed: boolean;
}

interface Modes {
  readonly request: BodyMode;
  readonly response: BodyMode;
}

/** A stream on which messages may arrive. */
interface Open {
  readonly at: "open";
  readonly modes: Modes;
  /** Undefined until the request's headers arrive. */
  readonly request: (Wishes & { readonly phase: RequestPhase }) | undefined;
  /** Undefined if tracing is off. */
  readonly trace: RequestTrace | undefined;
  /** Undefined until the request is dispatched, and after it is completed. */
  readonly routed: Dispatched | undefined;
  /** Undefined until the response's headers arrive. */
  readonly response: ResponsePhase | undefined;
}

type State =
  /** No message has arrived. */
  | { readonly at: "new" }
  | Open
  /** The picker has left the stream: the proxy continues on its own and the response is not observed. */
  | { readonly at: "left" }
  /** The client got an immediate response. */
  | { readonly at: "refused" };

const nothing = {
  request: undefined,
  trace: undefined,
  routed: undefined,
  response: undefined,
};

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
  #state: State = { at: "new" };

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
    return this.#request?.picked === false;
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
    return this.#state.at === "left" || this.#state.at === "refused";
  }

  /** The picker has left the stream: the proxy continues on its own and the response is not observed. */
  get left(): boolean {
    return this.#state.at === "left";
  }

  /** The request was received in full and waits for a free slot. */
  get queued(): boolean {
    return this.#request?.queued === true;
  }

  /** The request was sent to an endpoint or refused. */
  get requestAnswered(): boolean {
    return this.over || this.#request?.answered === true;
  }

  /** @throws ProtocolError for a second request on the stream */
  receive(message: ProcessingRequest): void {
    if (this.#state.at === "new")
      this.#become({ at: "open", modes: bodyModes(message.protocolConfig), ...nothing });
    const state = this.#state;
    if (state.at !== "open") return;
    if (message.kind === "requestHeaders" && state.request !== undefined)
      throw new ProtocolError("a second request arrived on a stream, which carries only one");
    this.#orRefuse(() => this.#dispatch(message, state));
  }

  /** Part of the body is unparsed or part of its prompts not hashed: call `readOn` before the next message. */
  get readsOn(): boolean {
    return this.#request?.readsOn === true;
  }

  /** Parses the next part of the body, or hashes the next slice of its prompts. Other streams can run between parts. */
  readOn(): void {
    this.#orRefuse(() => this.#request?.readOn());
  }

  /** The stream is over: completes a dispatched request, even if it was not answered. */
  close(): void {
    if (this.#state.at !== "open") return;
    const { request, trace, routed, response } = this.#state;
    this.#become({ ...this.#state, routed: undefined });
    request?.phase.close();
    const summary = routed && response?.summary();
    trace?.end(summary);
    if (routed === undefined) return;
    const { inFlight, labels, record } = routed;
    inFlight.end(this.#picker.clock.now(), summary?.usage, response?.isEmpty);
    if (record !== undefined) {
      record.response = summary;
      record.startedAt = this.#started;
    }
    this.#picker.observer.requestCompleted(labels, summary);
  }

  /** Sends the client an immediate response instead of the response of the server. */
  refuse(error: unknown): void {
    const refusal =
      error instanceof RequestError
        ? error
        : new RequestError("Internal", "the endpoint picker failed", { cause: error });
    // Only the operator gets the details of an internal error.
    if (refusal.code === "Internal") this.#report(refusal.cause ?? refusal);
    if (this.#state.at === "open") this.#state.trace?.refused(refusal);
    this.close();
    this.#become({ at: "refused" });
    this.#send(refusalAnswer(refusal));
  }

  get #request(): RequestPhase | undefined {
    return this.#state.at === "open" ? this.#state.request?.phase : undefined;
  }

  /** The only place that changes the state. */
  #become(state: State): void {
    this.#state = state;
  }

  /** Runs a step that a message caused, or the dispatch of a queued request. */
  #orRefuse(step: () => void): void {
    try {
      step();
      if (this.#state.at === "open" && this.#mayLeave(this.#state)) this.#leave(this.#state);
    } catch (error) {
      this.refuse(error);
    }
  }

  /** Whether the proxy needs nothing more from the picker, so that ending the stream does not break the response. */
  #mayLeave({ request, response, routed }: Open): boolean {
    return (
      this.#proxyGoesOn &&
      !this.#picker.options.followResponses &&
      response === undefined &&
      request?.phase.answered === true &&
      !request.conformance &&
      !request.asksWhoServed &&
      (routed === undefined || isNobodysBusiness(routed))
    );
  }

  /** Leaves the request: its response is not observed. */
  #leave({ routed, trace }: Open): void {
    if (routed !== undefined) {
      const { observer, clock } = this.#picker;
      if (!routed.inFlight.unobserve(clock.now(), completion(observer, routed.labels))) return;
    }
    trace?.end(undefined);
    this.#become({ at: "left" });
  }

  #dispatch(message: ProcessingRequest, state: Open): void {
    switch (message.kind) {
      case "requestHeaders":
        this.#begin(message, state).headers(message);
        return;
      case "requestBody":
        state.request?.phase.body(message);
        return;
      case "requestTrailers":
        state.request?.phase.trailers(message);
        return;
      case "responseHeaders":
        this.#respond(message, state);
        return;
      case "responseBody":
      case "responseTrailers":
        if (state.response !== undefined) this.#pass(message, state.response);
    }
  }

  #begin({ headers }: ProcessingRequest, state: Open): RequestPhase {
    const { conformanceHeaders, servedEndpointHeader } = this.#picker.options;
    const hasAny = (names: readonly string[]) => names.some((name) => headers.has(name));
    const trace = beginTrace(this.#picker, headers, this.#started);
    const phase = new RequestPhase(this.#picker, state.modes.request, this.#send, {
      trace,
      onRouted: (routed) => this.#routed(routed),
      onRefused: (error) => this.refuse(error),
      outOfTurn: (step) => this.#orRefuse(step),
    });
    const request = {
      phase,
      conformance: conformanceHeaders && hasAny(controlHeader.conformanceSelection),
      asksWhoServed: servedEndpointHeader && hasAny(controlHeader.served),
    };
    this.#become({ ...state, request, trace });
    return phase;
  }

  /** Drops the body: it is not needed during the response. */
  #routed({ mutation: _, ...routed }: RoutedRequest): void {
    if (this.#state.at === "open") this.#become({ ...this.#state, routed });
  }

  #respond(message: ProcessingRequest, state: Open): void {
    const { modes, request, routed } = state;
    const response = new ResponsePhase({
      picker: this.#picker,
      mode: modes.response,
      started: this.#started,
      routed,
      conformance: request?.conformance ?? false,
      asksWhoServed: request?.asksWhoServed ?? false,
      send: this.#send,
    });
    this.#become({ ...state, response });
    this.#pass(message, response);
  }

  #pass(message: ProcessingRequest, response: ResponsePhase): void {
    response.receive(message);
    if (response.ended) this.close();
  }
}

/** Not a closure of the exchange: it is kept after the exchange has ended, and would keep its stream and its request. */
const completion = (observer: Observer, labels: RequestLabels) => () =>
  observer.requestCompleted(labels, undefined);

/** The response needs no model name restored, no id marked and no header set, and no LLMService counts its status. */
const isNobodysBusiness = ({ labels, inFlight, createsConversation }: Dispatched): boolean =>
  !createsConversation &&
  labels.service === undefined &&
  (labels.model === "" || labels.model === labels.targetModel) &&
  inFlight.responseHeaders.length === 0;
