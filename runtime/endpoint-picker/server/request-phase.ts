import type { ProcessingRequest } from "../protocol/processing-request.ts";
import {
  bodyResponse,
  headersResponse,
  streamedBodies,
  trailersResponse,
} from "../protocol/processing-response.ts";
import type { Struct } from "../protocol/struct.ts";
import { RequestError } from "../request-error.ts";
import type { RequestHeaders } from "../request-headers.ts";
import { controlHeader } from "../request-path/control-headers.ts";
import type { Mutation } from "../request-path/mutate.ts";
import {
  type EndpointPicker,
  type RoutedRequest,
  route,
  routeWithoutBody,
} from "../request-path/route.ts";
import type { BodyMode } from "./body-mode.ts";
import type { Send } from "./exchange.ts";

/** Bodies beyond this are refused: the picker holds a body until it is whole. */
export const maxBodyBytes = 128 * 2 ** 20;

const noBody = Buffer.alloc(0);

/** The half of an exchange that carries the request. */
export class RequestPhase {
  readonly #picker: EndpointPicker;
  readonly #mode: BodyMode;
  readonly #send: Send;
  readonly #onRouted: (routed: RoutedRequest) => void;
  #headers: RequestHeaders = new Map();
  #metadata: ReadonlyMap<string, Struct> = new Map();
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Body messages that wait for an answer, where each wants one. */
  #unanswered = 0;
  #picked = false;

  constructor(
    picker: EndpointPicker,
    mode: BodyMode,
    send: Send,
    onRouted: (routed: RoutedRequest) => void,
  ) {
    this.#picker = picker;
    this.#mode = mode;
    this.#send = send;
    this.#onRouted = onRouted;
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
    if (bodyless) this.#answerHeaders(this.#pickWithoutBody(!endOfStream));
    else if (this.#mode === "whole") this.#send(headersResponse("requestHeaders"));
  }

  body({ body, metadata, endOfStream }: ProcessingRequest): void {
    this.#mergeMetadata(metadata);
    if (this.#picked) {
      this.#send(bodyResponse("requestBody"));
      return;
    }
    this.#collect(body);
    this.#unanswered += 1;
    if (this.#mode === "whole") this.#answerWhole(endOfStream);
    else if (endOfStream) this.#answerBody(true);
  }

  /** Trailers end a body whose last chunk did not say so. */
  trailers({ metadata }: ProcessingRequest): void {
    this.#mergeMetadata(metadata);
    if (!this.#picked) this.#answerBody(false);
    this.#send(trailersResponse("requestTrailers"));
  }

  #mergeMetadata(metadata: ReadonlyMap<string, Struct>): void {
    if (metadata.size === 0) return;
    this.#metadata =
      this.#metadata.size === 0 ? metadata : new Map([...this.#metadata, ...metadata]);
  }

  #collect(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > maxBodyBytes)
      throw new RequestError(
        "PayloadTooLarge",
        `the request body is larger than ${maxBodyBytes} bytes`,
      );
    if (chunk.length > 0) this.#chunks.push(chunk);
  }

  #pickWithoutBody(bodyUnseen = false): Mutation {
    this.#picked = true;
    const request = { headers: this.#headers, metadata: this.#metadata };
    return routeWithoutBody(request, this.#picker, { bodyUnseen });
  }

  /** A body without bytes is no body: the request has nothing to parse. */
  #pick(): Mutation {
    if (this.#bytes === 0) return this.#pickWithoutBody();
    this.#picked = true;
    const body = this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks);
    this.#chunks = [];
    const start = this.#picker.clock.now();
    const routed = route(
      { headers: this.#headers, metadata: this.#metadata, body: body ?? noBody },
      this.#picker,
    );
    this.#onRouted(routed);
    this.#picker.observer.processed("request", (this.#picker.clock.now() - start) / 1000);
    return routed.mutation;
  }

  #answerHeaders(mutation: Mutation): void {
    this.#send(headersResponse("requestHeaders", { ...mutation, clearRouteCache: true }));
  }

  /** The whole body is one message, whose answer carries everything. */
  #answerWhole(endOfStream: boolean): void {
    const mutation = endOfStream || this.#bytes > 0 ? this.#pick() : this.#pickWithoutBody();
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
