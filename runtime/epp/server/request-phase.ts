import { RequestError } from "../../../scheduling/requests/request-error.ts";
import type { RequestHeaders } from "../../../scheduling/requests/request-headers.ts";
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
import { pathOf } from "../request-path/control-headers.ts";
import type { Mutation } from "../request-path/mutate.ts";
import type { PendingRequest, RoutedRequest } from "../request-path/pending-request.ts";
import {
  accept,
  admit,
  type EndpointPicker,
  objectivePriority,
  routeWithoutBody,
} from "../request-path/route.ts";
import { assertNoRules, opensTunnel } from "../request-path/unparsed-bodies.ts";
import { answerHeaders, answerRequest } from "./answer-request.ts";
import type { BodyMode } from "./body-mode.ts";
import type { Send } from "./exchange.ts";
import { GrowingBody } from "./growing-body.ts";
import { ShortPieces } from "./short-pieces.ts";

/** Bytes of a body that are parsed in one step, which takes about 1 ms. */
const partBytes = 128 * 1024;

/** A request that is not picked yet. */
interface Receiving {
  readonly at: "receiving";
  readonly headers: RequestHeaders;
  readonly metadata: ReadonlyMap<string, Struct>;
  readonly reading: BodyReading;
  /** Body messages not answered yet, for modes that need one answer per message. */
  readonly inFlight: number;
  /** Undefined until the body is complete; then whether its last message ended the request. */
  readonly endOfStream: boolean | undefined;
}

/** How the body of a picked request was received. */
type Received = Pick<Receiving, "inFlight" | "endOfStream">;

/** Progress of the request; it determines how each message is handled. */
type State =
  | { readonly at: "new" }
  | Receiving
  /** An endpoint is chosen, in one step. */
  | ({ readonly at: "picking" } & Received)
  /** Long prompts are hashed in slices before admission; `trailers`: the request's trailers have arrived. */
  | ({
      readonly at: "preparing";
      readonly pending: PendingRequest;
      readonly slices: Generator<number, void>;
      readonly started: number;
      readonly trailers: boolean;
    } & Received)
  /** The request waits for a free slot; `trailers`: its trailers arrived meanwhile. */
  | ({
      readonly at: "queued";
      readonly waiting: WaitingRequest;
      readonly trailers: boolean;
    } & Received)
  /** The proxy has all that it needs to forward the request. */
  | { readonly at: "answered" }
  /** The request is over. */
  | { readonly at: "closed"; readonly answered: boolean };

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
  readonly #body: GrowingBody;
  readonly #shortPieces = new ShortPieces();
  #state: State = { at: "new" };

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

  /** The request was received in full: it has its endpoint, or will get one. */
  get picked(): boolean {
    const { at } = this.#state;
    return at !== "new" && at !== "receiving";
  }

  get queued(): boolean {
    return this.#state.at === "queued";
  }

  /** Priority of the request, as known so far. */
  get priority(): number {
    return this.#body.priority;
  }

  /** The proxy has all that it needs to forward the request. */
  get answered(): boolean {
    return this.#state.at === "answered" || (this.#state.at === "closed" && this.#state.answered);
  }

  /** The request is over: drops the body; later body messages pass unread. */
  close(): void {
    if (this.#state.at === "queued") this.#state.waiting.cancel();
    this.#become({ at: "closed", answered: this.answered });
  }

  headers({ headers, metadata, keptBytes, endOfStream }: ProcessingRequest): void {
    if (!endOfStream && opensTunnel(headers))
      this.#orRefuse(() => this.#assertNoRules("it is a tunnel, such as a WebSocket", headers));
    const bodyless = endOfStream || this.#mode === "none" || this.#mode === "chunks";
    if (bodyless) {
      this.#become({ at: "picking", inFlight: 0, endOfStream });
      answerHeaders(this.#send, this.#routeWithoutBody(headers, metadata, !endOfStream));
      this.#become({ at: "answered" });
      return;
    }
    // A registered model may have another priority, which is known once the body is parsed.
    this.#body.priority = objectivePriority(
      headers,
      this.#picker.datastore.snapshot,
      this.#picker.options,
    );
    this.#orRefuse(() => {
      this.#body.keepBeside(keptBytes);
      this.#body.expect(Number(headers.get("content-length")));
      const { parsers } = this.#picker.scheduler;
      const reading = readingOf({ path: pathOf(headers), headers }, parsers);
      const received = { inFlight: 0, endOfStream: undefined };
      this.#become({ at: "receiving", headers, metadata, reading, ...received });
    });
    if (this.#mode === "whole") this.#send(headersResponse("requestHeaders"));
  }

  body({ body, metadata, keptBytes, endOfStream }: ProcessingRequest): void {
    const state = this.#state;
    if (state.at !== "receiving") {
      this.#send(bodyResponse("requestBody"));
      return;
    }
    const isLast = endOfStream || this.#mode === "whole";
    this.#orRefuse(() => {
      // An empty body needs no parser.
      if (body.length > 0 && state.reading.unread !== undefined)
        this.#assertNoRules(state.reading.unread, state.headers);
      this.#body.keepBeside(keptBytes);
      this.#shortPieces.count(body);
      this.#body.append(body, isLast);
    });
    this.#become({
      ...state,
      metadata: merged(state.metadata, metadata),
      inFlight: state.inFlight + 1,
      endOfStream: isLast ? endOfStream : state.endOfStream,
    });
    this.readOn();
  }

  /** Part of the received body is unparsed, or part of the prompts is not hashed. */
  get readsOn(): boolean {
    if (this.#state.at === "preparing") return true;
    if (this.#state.at !== "receiving") return false;
    const { reader } = this.#state.reading;
    return reader !== undefined && reader.bytesRead < this.#body.length;
  }

  /** Parses the next part of the body or hashes the next slice of it, and answers the request after the last one. */
  readOn(): void {
    const state = this.#state;
    if (state.at === "preparing" && state.slices.next().done === true) this.#admitPrepared(state);
    if (state.at !== "receiving") return;
    this.#orRefuse(() => state.reading.reader?.push(this.#body.bytes, partBytes));
    if (!this.readsOn && state.endOfStream !== undefined) this.#pickAndAnswer(state);
  }

  /** Trailers end a body whose last chunk had no `end_of_stream`. */
  trailers({ metadata }: ProcessingRequest): void {
    const state = this.#state;
    if (state.at === "receiving")
      this.#pickAndAnswer({
        ...state,
        metadata: merged(state.metadata, metadata),
        endOfStream: false,
      });
    const then = this.#state;
    if (then.at === "queued" || then.at === "preparing") this.#become({ ...then, trailers: true });
    else this.#answerTrailers();
  }

  prioritized(priority: number): void {
    this.#body.priority = priority;
  }

  /** The queued request was dispatched. */
  routed(routed: RoutedRequest): void {
    const queued = this.#state;
    if (queued.at !== "queued") return;
    this.#become({ ...queued, at: "picking" });
    this.#events.outOfTurn(() => {
      this.#events.onRouted(routed);
      this.#answer(routed.mutation, queued);
      if (queued.trailers) this.#answerTrailers();
    });
  }

  /** The queued request was refused, or the dispatched one is cut off. */
  refused(error: unknown): void {
    if (this.#state.at === "queued") this.#become({ ...this.#state, at: "picking" });
    this.#events.onRefused(error);
  }

  /** The only place that changes the state. Drops the body when the request needs it no longer. */
  #become(state: State): void {
    this.#state = state;
    if (state.at === "answered" || state.at === "closed") this.#body.release();
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

  #assertNoRules(why: string, headers: RequestHeaders): void {
    const { datastore, options } = this.#picker;
    assertNoRules(why, headers, datastore.snapshot, options);
  }

  #routeWithoutBody(
    headers: RequestHeaders,
    metadata: Receiving["metadata"],
    bodyUnseen = false,
  ): Mutation {
    const request = { headers, metadata, trace: this.#events.trace };
    return routeWithoutBody(request, this.#picker, { bodyUnseen });
  }

  #pickAndAnswer(receiving: Receiving): void {
    const mutation = this.#pick(receiving);
    if (mutation !== undefined) this.#answer(mutation, receiving);
  }

  #admitPrepared(prepared: State & { readonly at: "preparing" }): void {
    const { pending, started, trailers, inFlight, endOfStream } = prepared;
    this.#become({ at: "picking", inFlight, endOfStream });
    let mutation: Mutation | undefined;
    try {
      mutation = this.#admit(pending, prepared, trailers);
    } finally {
      this.#processed(started);
    }
    if (mutation === undefined) return;
    this.#answer(mutation, prepared);
    if (trailers) this.#answerTrailers();
  }

  /**
   * Picks an endpoint; returns undefined if the request is queued or its prompts are hashed first. An empty body counts
   * as no body: it needs no parser.
   */
  #pick({ headers, metadata, reading, inFlight, endOfStream }: Receiving): Mutation | undefined {
    this.#become({ at: "picking", inFlight, endOfStream });
    if (this.#body.length === 0) return this.#routeWithoutBody(headers, metadata);
    const started = this.#picker.clock.now();
    const inbound = { headers, metadata, body: this.#body.bytes };
    const read = { reading, trace: this.#events.trace };
    try {
      const pending = accept({ ...inbound, ...read }, this.#picker, this);
      const slices = pending.slices();
      if (slices === undefined) return this.#admit(pending, { inFlight, endOfStream });
      const preparing = { pending, slices, started, trailers: false };
      this.#become({ at: "preparing", ...preparing, inFlight, endOfStream });
      return undefined;
    } finally {
      if (this.#state.at !== "preparing") this.#processed(started);
    }
  }

  /** Returns undefined if the request is queued. */
  #admit(
    pending: PendingRequest,
    { inFlight, endOfStream }: Received,
    trailers = false,
  ): Mutation | undefined {
    const routed = admit(pending, this.#picker, this);
    if ("cancel" in routed) {
      this.#become({ at: "queued", waiting: routed, trailers, inFlight, endOfStream });
      this.#orRefuse(() => this.#body.keep());
      return undefined;
    }
    this.#events.onRouted(routed);
    return routed.mutation;
  }

  #processed(started: number): void {
    this.#picker.observer.requestProcessed((this.#picker.clock.now() - started) / 1000);
  }

  #answer(mutation: Mutation, { inFlight, endOfStream }: Received): void {
    answerRequest(this.#send, mutation, {
      mode: this.#mode,
      endOfStream: endOfStream === true,
      inFlight,
    });
    this.#become({ at: "answered" });
  }

  #answerTrailers(): void {
    this.#send(trailersResponse("requestTrailers"));
    this.#become(
      this.#state.at === "closed" ? { at: "closed", answered: true } : { at: "answered" },
    );
  }
}

/** Metadata by namespace of two messages; the later message has precedence. */
const merged = (earlier: Receiving["metadata"], later: Receiving["metadata"]) => {
  if (later.size === 0) return earlier;
  return earlier.size === 0 ? later : new Map([...earlier, ...later]);
};
