import { RequestError } from "../../../scheduling/request-error.ts";
import type { RequestHeaders } from "../../../scheduling/request-headers.ts";
import type { RequestTrace } from "../decisions/request-trace.ts";
import { type BodyReading, readingOf } from "../payload/parse.ts";
import type { ProcessingRequest } from "../protocol/processing-request.ts";
import {
  bodyResponse,
  headersResponse,
  trailersResponse,
} from "../protocol/processing-response.ts";
import type { Struct } from "../protocol/struct.ts";
import type { Waiter, WaitingRequest } from "../request-path/admit.ts";
import { controlHeader, pathOf } from "../request-path/control-headers.ts";
import type { Mutation } from "../request-path/mutate.ts";
import type { RoutedRequest } from "../request-path/pending-request.ts";
import {
  type EndpointPicker,
  objectivePriority,
  route,
  routeWithoutBody,
} from "../request-path/route.ts";
import { assertNoRules, opensTunnel } from "../request-path/unparsed-bodies.ts";
import { answerHeaders, answerRequest } from "./answer-request.ts";
import type { BodyMode } from "./body-mode.ts";
import type { Send } from "./exchange.ts";
import { GrowingBody } from "./growing-body.ts";
import { ShortPieces } from "./short-pieces.ts";

const noHeaders: RequestHeaders = new Map();
const noMetadata: ReadonlyMap<string, Struct> = new Map();

/** Bytes of a body that are parsed in one step, which takes about 1 ms. */
const partBytes = 128 * 1024;

export interface RequestEvents {
  readonly onRouted: (routed: RoutedRequest) => void;
  /** Called when a queued request is refused, a dispatched one is cut off, or a body is evicted. */
  readonly onRefused: (error: unknown) => void;
  /** Runs a step that no message caused. */
  readonly outOfTurn: (step: () => void) => void;
  /** Undefined if tracing is off. */
  readonly trace: RequestTrace | undefined;
}

/** The half of an exchange that carries the request. */
export class RequestPhase implements Waiter {
  readonly #picker: EndpointPicker;
  readonly #mode: BodyMode;
  readonly #send: Send;
  readonly #events: RequestEvents;
  #headers = noHeaders;
  #isConformanceTest = false;
  #asksWhoServed = false;
  #metadata = noMetadata;
  readonly #body: GrowingBody;
  /** Undefined before the headers arrive and after the request is routed. */
  #reading: BodyReading | undefined;
  readonly #shortPieces = new ShortPieces();
  /** Body messages not answered yet, for modes that need one answer per message. */
  #inFlight = 0;
  /** Undefined until the body is complete; then whether its last message ended the request. */
  #endOfStream: boolean | undefined;
  #picked = false;
  /** Undefined unless the request is queued. */
  #waiting: WaitingRequest | undefined;
  /** Trailers arrived while the request was queued. */
  #trailersWait = false;
  #answered = false;
  #closed = false;

  constructor(picker: EndpointPicker, mode: BodyMode, send: Send, events: RequestEvents) {
    this.#picker = picker;
    this.#mode = mode;
    this.#send = send;
    this.#events = events;
    const onGivenWay = (error: RequestError) => {
      picker.observer.refused(undefined, error);
      events.onRefused(error);
    };
    this.#body = new GrowingBody(picker.bodies, onGivenWay, picker.admission.queues);
  }

  /** The request was received in full: it has its endpoint or waits for one. */
  get picked(): boolean {
    return this.#picked;
  }

  get queued(): boolean {
    return this.#waiting !== undefined;
  }

  /** Priority of the request, as known so far. */
  get priority(): number {
    return this.#body.priority;
  }

  /** The request is over: drops the body; later body messages pass unread. */
  close(): void {
    this.#closed = true;
    this.#waiting?.cancel();
    this.#waiting = undefined;
    this.#reading = undefined;
    this.#letGo();
  }

  /** The proxy has all that it needs to forward the request. */
  get answered(): boolean {
    return this.#answered;
  }

  /** The conformance suite sent the request, so the response gets the suite's header. */
  get isConformanceTest(): boolean {
    return this.#isConformanceTest;
  }

  /** The client asked which endpoint serves it. */
  get asksWhoServed(): boolean {
    return this.#asksWhoServed;
  }

  headers({ headers, metadata, keptBytes, endOfStream }: ProcessingRequest): void {
    const { conformanceHeaders, servedEndpointHeader } = this.#picker.options;
    const hasAny = (names: readonly string[]) => names.some((name) => headers.has(name));
    this.#headers = headers;
    this.#isConformanceTest = conformanceHeaders && hasAny(controlHeader.conformanceSelection);
    this.#asksWhoServed = servedEndpointHeader && hasAny(controlHeader.served);
    this.#mergeMetadata(metadata);
    if (!endOfStream && opensTunnel(headers))
      this.#orRefuse(() => this.#assertNoRules("it is a tunnel, such as a WebSocket"));
    const bodyless = endOfStream || this.#mode === "none" || this.#mode === "chunks";
    if (bodyless) {
      answerHeaders(this.#send, this.#pickWithoutBody(!endOfStream));
      this.#letGo();
      this.#answered = true;
      return;
    }
    // A registered model may have another priority, which is known once the body is parsed.
    this.#body.priority = objectivePriority(headers, this.#picker.datastore.snapshot);
    this.#orRefuse(() => {
      this.#body.keepBeside(keptBytes);
      this.#body.expect(Number(headers.get("content-length")));
      const { parsers } = this.#picker.scheduler;
      this.#reading = readingOf({ path: pathOf(headers), headers }, parsers);
    });
    if (this.#mode === "whole") this.#send(headersResponse("requestHeaders"));
  }

  body({ body, metadata, keptBytes, endOfStream }: ProcessingRequest): void {
    if (this.#picked || this.#closed) {
      this.#send(bodyResponse("requestBody"));
      return;
    }
    this.#mergeMetadata(metadata);
    const isLast = endOfStream || this.#mode === "whole";
    this.#orRefuse(() => {
      // An empty body needs no parser.
      if (body.length > 0 && this.#reading?.unread !== undefined)
        this.#assertNoRules(this.#reading.unread);
      this.#body.keepBeside(keptBytes);
      this.#shortPieces.count(body);
      this.#body.append(body, isLast);
    });
    this.#inFlight += 1;
    if (isLast) this.#endOfStream = endOfStream;
    this.readOn();
  }

  /** Part of the received body is unparsed. */
  get readsOn(): boolean {
    const reader = this.#reading?.reader;
    return reader !== undefined && reader.bytesRead < this.#body.length;
  }

  /** Parses the next part of the body, and answers the request once the whole body is parsed. */
  readOn(): void {
    this.#orRefuse(() => this.#reading?.reader?.push(this.#body.bytes, partBytes));
    if (this.readsOn || this.#endOfStream === undefined) return;
    this.#pickAndAnswer();
  }

  /** Trailers end a body whose last chunk had no `end_of_stream`. */
  trailers({ metadata }: ProcessingRequest): void {
    if (!this.#picked && !this.#closed) {
      this.#mergeMetadata(metadata);
      this.#endOfStream = false;
      this.#pickAndAnswer();
    }
    this.#trailersWait = this.queued;
    if (!this.#trailersWait) this.#answerTrailers();
  }

  prioritized(priority: number): void {
    this.#body.priority = priority;
  }

  /** The queued request was dispatched. */
  routed(routed: RoutedRequest): void {
    this.#waiting = undefined;
    this.#events.outOfTurn(() => {
      this.#events.onRouted(routed);
      this.#letGo();
      this.#answer(routed.mutation);
      if (this.#trailersWait) this.#answerTrailers();
    });
  }

  /** The queued request was refused, or the dispatched one is cut off. */
  refused(error: unknown): void {
    this.#waiting = undefined;
    this.#events.onRefused(error);
  }

  /** Drops the request's data: it is not needed during the response. */
  #letGo(): void {
    this.#body.release();
    this.#headers = noHeaders;
    this.#metadata = noMetadata;
  }

  #mergeMetadata(metadata: ReadonlyMap<string, Struct>): void {
    if (metadata.size === 0) return;
    this.#metadata =
      this.#metadata.size === 0 ? metadata : new Map([...this.#metadata, ...metadata]);
  }

  /** Runs a step before routing. If it refuses the request, drops the body immediately. */
  #orRefuse(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#body.release();
      if (error instanceof RequestError) this.#picker.observer.refused(undefined, error);
      throw error;
    }
  }

  #assertNoRules(why: string): void {
    const { datastore, options } = this.#picker;
    assertNoRules(why, this.#headers, datastore.snapshot, options);
  }

  #pickWithoutBody(bodyUnseen = false): Mutation {
    this.#picked = true;
    const { trace } = this.#events;
    const request = { headers: this.#headers, metadata: this.#metadata, trace };
    return routeWithoutBody(request, this.#picker, { bodyUnseen });
  }

  #pickAndAnswer(): void {
    const mutation = this.#pick();
    if (mutation !== undefined) this.#answer(mutation);
  }

  /**
   * Picks an endpoint; returns undefined if the request is queued. An empty body counts as no body: it needs no parser.
   */
  #pick(): Mutation | undefined {
    if (this.#body.length === 0) return this.#pickWithoutBody();
    this.#picked = true;
    const start = this.#picker.clock.now();
    try {
      const body = this.#body.bytes;
      const inbound = { headers: this.#headers, metadata: this.#metadata, body };
      const read = { reading: this.#reading, trace: this.#events.trace };
      const routed = route({ ...inbound, ...read }, this.#picker, this);
      if ("cancel" in routed) {
        this.#waiting = routed;
        this.#orRefuse(() => this.#body.keep());
        return undefined;
      }
      this.#events.onRouted(routed);
      return routed.mutation;
    } finally {
      this.#reading = undefined;
      if (this.#waiting === undefined) this.#letGo();
      this.#picker.observer.requestProcessed((this.#picker.clock.now() - start) / 1000);
    }
  }

  #answer(mutation: Mutation): void {
    answerRequest(this.#send, mutation, {
      mode: this.#mode,
      endOfStream: this.#endOfStream === true,
      inFlight: this.#inFlight,
    });
    this.#answered = true;
  }

  #answerTrailers(): void {
    this.#send(trailersResponse("requestTrailers"));
    this.#answered = true;
  }
}
