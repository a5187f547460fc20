import { RequestError } from "../../../scheduling/request-error.ts";
import type { RequestHeaders } from "../../../scheduling/request-headers.ts";
import { limits } from "../../limits.ts";
import type { JsonReader } from "../payload/json-body.ts";
import { readerOf } from "../payload/parse.ts";
import type { ProcessingRequest } from "../protocol/processing-request.ts";
import {
  bodyResponse,
  headersResponse,
  streamedBodies,
  trailersResponse,
} from "../protocol/processing-response.ts";
import type { Struct } from "../protocol/struct.ts";
import { controlHeader } from "../request-path/control-headers.ts";
import type { Mutation } from "../request-path/mutate.ts";
import {
  type EndpointPicker,
  pathOf,
  type RoutedRequest,
  route,
  routeWithoutBody,
} from "../request-path/route.ts";
import type { BodyMode } from "./body-mode.ts";
import type { Send } from "./exchange.ts";
import { GrowingBody } from "./growing-body.ts";

const noBody = Buffer.alloc(0);

/** Bytes of a body that are read at once: about a millisecond. */
const partBytes = 128 * 1024;

/** A shorter piece of a body costs more than what it brings. */
const shortPieceBytes = 64;

export interface RequestEvents {
  readonly onRouted: (routed: RoutedRequest) => void;
  /** The body had to give way to another one, so that the request is refused. */
  readonly onGivenWay: (error: RequestError) => void;
}

/** The half of an exchange that carries the request. */
export class RequestPhase {
  readonly #picker: EndpointPicker;
  readonly #mode: BodyMode;
  readonly #send: Send;
  readonly #onRouted: (routed: RoutedRequest) => void;
  #headers: RequestHeaders = new Map();
  #metadata: ReadonlyMap<string, Struct> = new Map();
  readonly #body: GrowingBody;
  /** Undefined where the body is not read as JSON. */
  #reader: JsonReader | undefined;
  #shortPieces = 0;
  /** Body messages that wait for an answer, where each wants one. */
  #unanswered = 0;
  /** Undefined until the body is whole: then whether its last message ended the stream of the request. */
  #endOfStream: boolean | undefined;
  #picked = false;
  #answered = false;
  #closed = false;

  constructor(
    picker: EndpointPicker,
    mode: BodyMode,
    send: Send,
    { onRouted, onGivenWay }: RequestEvents,
  ) {
    this.#picker = picker;
    this.#mode = mode;
    this.#send = send;
    this.#onRouted = onRouted;
    this.#body = new GrowingBody(picker.bodies, (error) => {
      picker.observer.refused(undefined, error);
      onGivenWay(error);
    });
  }

  /** The request has its endpoint. */
  get picked(): boolean {
    return this.#picked;
  }

  /** The request is over: the body, if there is one, is let go, and what still comes of it goes on unread. */
  close(): void {
    this.#closed = true;
    this.#reader = undefined;
    this.#body.release();
  }

  /** The proxy has all that it needs to send the request on. */
  get answered(): boolean {
    return this.#answered;
  }

  /** The conformance suite sent the request: only it gets the suite's response header. */
  get isConformanceTest(): boolean {
    return (
      this.#picker.options.conformanceHeaders &&
      controlHeader.conformanceSelection.some((name) => this.#headers.has(name))
    );
  }

  /** The client asked which endpoint serves it. */
  get asksWhoServed(): boolean {
    return (
      this.#picker.options.servedEndpointHeader &&
      controlHeader.served.some((name) => this.#headers.has(name))
    );
  }

  headers({ headers, metadata, endOfStream }: ProcessingRequest): void {
    this.#headers = headers;
    this.#mergeMetadata(metadata);
    const bodyless = endOfStream || this.#mode === "none" || this.#mode === "chunks";
    if (bodyless) {
      this.#answerHeaders(this.#pickWithoutBody(!endOfStream));
      this.#answered = true;
      return;
    }
    this.#orRefuse(() => this.#body.expect(Number(headers.get("content-length"))));
    this.#reader = readerOf({ path: pathOf(headers), headers }, this.#picker.scheduler.parsers);
    if (this.#mode === "whole") this.#send(headersResponse("requestHeaders"));
  }

  body({ body, metadata, endOfStream }: ProcessingRequest): void {
    this.#mergeMetadata(metadata);
    if (this.#picked || this.#closed) {
      this.#send(bodyResponse("requestBody"));
      return;
    }
    const isLast = endOfStream || this.#mode === "whole";
    this.#orRefuse(() => {
      if (body.length < shortPieceBytes) this.#countShortPiece();
      this.#body.append(body, isLast);
    });
    this.#unanswered += 1;
    if (isLast) this.#endOfStream = endOfStream;
    this.readOn();
  }

  #countShortPiece(): void {
    this.#shortPieces += 1;
    const most = limits.shortPieces.value;
    if (this.#shortPieces > most)
      throw new RequestError(
        "BadRequest",
        `the request body came in more than ${most} pieces of less than ${shortPieceBytes} bytes; send longer pieces`,
      );
  }

  /** Part of what came of the body is not read. */
  get readsOn(): boolean {
    return this.#reader !== undefined && this.#reader.bytesRead < this.#body.length;
  }

  /** Reads a part of what came; a body that is whole and read is answered. */
  readOn(): void {
    this.#orRefuse(() => this.#reader?.push(this.#body.bytes, partBytes));
    if (this.readsOn || this.#endOfStream === undefined) return;
    if (this.#mode === "whole") this.#answerWhole(this.#endOfStream);
    else this.#answerBody(this.#endOfStream);
    this.#answered = this.#picked;
  }

  /** Trailers end a body whose last chunk did not say so. */
  trailers({ metadata }: ProcessingRequest): void {
    this.#mergeMetadata(metadata);
    if (!this.#picked && !this.#closed) this.#answerBody(false);
    this.#send(trailersResponse("requestTrailers"));
    this.#answered = true;
  }

  #mergeMetadata(metadata: ReadonlyMap<string, Struct>): void {
    if (metadata.size === 0) return;
    this.#metadata =
      this.#metadata.size === 0 ? metadata : new Map([...this.#metadata, ...metadata]);
  }

  /** A refusal before the request is routed; the body is let go at once. */
  #orRefuse(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#body.release();
      if (error instanceof RequestError) this.#picker.observer.refused(undefined, error);
      throw error;
    }
  }

  #pickWithoutBody(bodyUnseen = false): Mutation {
    this.#picked = true;
    const request = { headers: this.#headers, metadata: this.#metadata };
    return routeWithoutBody(request, this.#picker, { bodyUnseen });
  }

  /** Picks an endpoint. An empty body counts as none: the request has nothing to parse. */
  #pick(): Mutation {
    if (this.#body.length === 0) return this.#pickWithoutBody();
    this.#picked = true;
    const start = this.#picker.clock.now();
    try {
      const body = this.#body.bytes;
      const inbound = { headers: this.#headers, metadata: this.#metadata, body };
      const routed = route({ ...inbound, reader: this.#reader }, this.#picker);
      this.#onRouted(routed);
      return routed.mutation;
    } finally {
      this.#reader = undefined;
      this.#body.release();
      this.#picker.observer.requestProcessed((this.#picker.clock.now() - start) / 1000);
    }
  }

  #answerHeaders(mutation: Mutation): void {
    this.#send(headersResponse("requestHeaders", { ...mutation, clearRouteCache: true }));
  }

  /** The whole body is one message, whose answer carries everything. */
  #answerWhole(endOfStream: boolean): void {
    const mutation = endOfStream || this.#body.length > 0 ? this.#pick() : this.#pickWithoutBody();
    const body = mutation.bodyChanged ? mutation.body : undefined;
    this.#send(bodyResponse("requestBody", { ...mutation, body, clearRouteCache: true }));
  }

  /** Headers first, then the body, as the proxy will forward them. */
  #answerBody(endOfStream: boolean): void {
    const mutation = this.#pick();
    this.#answerHeaders(mutation);
    if (this.#mode === "duplex") this.#sendDuplex(mutation.body ?? noBody, endOfStream);
    else this.#answerChunks(mutation);
  }

  #sendDuplex(body: Buffer, endOfStream: boolean): void {
    if (body.length === 0 && !endOfStream) return;
    for (const answer of streamedBodies("requestBody", body, endOfStream)) this.#send(answer);
  }

  /** A new body goes with the first chunk's answer; the other chunks are dropped. */
  #answerChunks({ body, bodyChanged }: Mutation): void {
    for (let at = 0; at < this.#unanswered; at += 1) {
      const replacement = at === 0 ? body : noBody;
      this.#send(bodyResponse("requestBody", bodyChanged ? { body: replacement } : {}));
    }
  }
}
