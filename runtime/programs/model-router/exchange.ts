import { RequestError } from "../../../scheduling/requests/request-error.ts";
import type { RequestHeaders } from "../../../scheduling/requests/request-headers.ts";
import { modelHeaders } from "../../../sdk/routing/model-headers.ts";
import {
  type ModelRoutes,
  type RoutedModel,
  routeModel,
} from "../../../sdk/routing/model-routes.ts";
import type { Clock } from "../../epp/clock.ts";
import type { JsonReader } from "../../epp/payload/json-body.ts";
import { modelOf } from "../../epp/payload/json-payload.ts";
import { readingOf } from "../../epp/payload/parse.ts";
import type { ProcessingRequest } from "../../epp/protocol/processing-request.ts";
import {
  bodyResponse,
  headersResponse,
  streamedBodies,
  trailersResponse,
} from "../../epp/protocol/processing-response.ts";
import type { BodyBudget } from "../../epp/request-path/body-budget.ts";
import { controlHeader, pathOf } from "../../epp/request-path/control-headers.ts";
import { answerHeaders, answerRequest } from "../../epp/server/answer-request.ts";
import { type BodyMode, bodyModes } from "../../epp/server/body-mode.ts";
import { ProtocolError, type Report, type Send } from "../../epp/server/exchange.ts";
import type { StreamExchange } from "../../epp/server/ext-proc-stream.ts";
import { GrowingBody } from "../../epp/server/growing-body.ts";
import { refusalAnswer } from "../../epp/server/refusal-answer.ts";
import { ShortPieces } from "../../epp/server/short-pieces.ts";
import type { RouterMetrics } from "./router-metrics.ts";

/** Parts of the process that requests need. */
export interface ModelRouter {
  /** Returns the current routes. */
  readonly routes: () => ModelRoutes;
  readonly bodies: BodyBudget;
  readonly clock: Clock;
  readonly metrics: RouterMetrics;
}

/** The parsers that read bodies. */
const parsers = ["openai-parser", "anthropic-parser", "vllmhttp-parser"];

/** Headers that only a model router may set. */
const ownHeaders = Object.values(modelHeaders).map((name) => name.toLowerCase());

/** Bytes of a body that are parsed per turn of the event loop, in about 1 ms. */
const partBytes = 128 * 1024;

const noHeaders: RequestHeaders = new Map();

/** One HTTP request through a proxy: reads its model, sets it in headers, and forwards the body unchanged. */
export class RouterExchange implements StreamExchange {
  readonly #router: ModelRouter;
  readonly #send: Send;
  readonly #report: Report;
  readonly #proxyGoesOn: boolean;
  #modes: { request: BodyMode; response: BodyMode } | undefined;
  #headers: RequestHeaders = noHeaders;
  readonly #body: GrowingBody;
  readonly #shortPieces = new ShortPieces();
  /** Undefined if the body is not read. */
  #reader: JsonReader | undefined;
  /** Body messages without a response. */
  #inFlight = 0;
  /** Undefined until the body is complete; then whether its last message ended the request stream. */
  #endOfStream: boolean | undefined;
  #begun = false;
  /** Whether the body is forwarded unread as it arrives. */
  #passes = false;
  #answered = false;
  #over = false;
  #left = false;
  /** Time spent on this request, in ms. */
  #worked = 0;

  constructor(router: ModelRouter, send: Send, report: Report, proxyGoesOn: boolean) {
    this.#router = router;
    this.#send = send;
    this.#report = report;
    this.#proxyGoesOn = proxyGoesOn;
    this.#body = new GrowingBody(router.bodies, (error) => this.refuse(error));
  }

  get awaitsBody(): boolean {
    return this.#begun && !this.#over && !this.#answered && !this.#passes;
  }

  get over(): boolean {
    return this.#over;
  }

  get left(): boolean {
    return this.#left;
  }

  /** A model router queues no requests. */
  get queued(): boolean {
    return false;
  }

  get requestAnswered(): boolean {
    return this.#over || this.#answered;
  }

  get readsOn(): boolean {
    return !this.#over && this.#reader !== undefined && this.#reader.bytesRead < this.#body.length;
  }

  /** @throws ProtocolError for messages that no proxy sends */
  receive(message: ProcessingRequest): void {
    if (this.#over) return;
    if (message.kind === "requestHeaders" && this.#begun)
      throw new ProtocolError("a second request arrived on a stream, which carries only one");
    this.#modes ??= bodyModes(message.protocolConfig);
    const modes = this.#modes;
    this.#orRefuse(() => this.#dispatch(message, modes));
  }

  readOn(): void {
    this.#orRefuse(() => this.#readOn());
  }

  refuse(error: unknown): void {
    const refusal =
      error instanceof RequestError
        ? error
        : new RequestError("Internal", "the model router failed", { cause: error });
    if (refusal.code === "Internal") this.#report(refusal.cause ?? refusal);
    this.#router.metrics.refused(refusal);
    this.#over = true;
    this.close();
    this.#send(refusalAnswer(refusal));
  }

  close(): void {
    this.#reader = undefined;
    this.#headers = noHeaders;
    this.#body.release();
  }

  #orRefuse(step: () => void): void {
    const start = this.#router.clock.now();
    try {
      step();
      if (this.#answered && this.#proxyGoesOn) this.#leave();
    } catch (error) {
      this.refuse(error);
    } finally {
      this.#worked += this.#router.clock.now() - start;
    }
  }

  /** Leaves the stream, because the router does not need the response. */
  #leave(): void {
    this.#left = true;
    this.#over = true;
  }

  #dispatch(message: ProcessingRequest, modes: { request: BodyMode; response: BodyMode }): void {
    const { body, endOfStream } = message;
    switch (message.kind) {
      case "requestHeaders":
        this.#begun = true;
        this.#requestHeaders(message, modes.request);
        return;
      case "requestBody":
        if (this.#begun) this.#requestBody(message, modes.request);
        return;
      case "requestTrailers":
        if (!this.#answered && !this.#passes) this.#route(false);
        this.#answered = true;
        this.#send(trailersResponse("requestTrailers"));
        return;
      case "responseHeaders":
        this.#send(headersResponse("responseHeaders"));
        return;
      case "responseBody":
        this.#pass("responseBody", body, endOfStream, modes.response);
        return;
      case "responseTrailers":
        this.#send(trailersResponse("responseTrailers"));
    }
  }

  #requestHeaders({ headers, keptBytes, endOfStream }: ProcessingRequest, mode: BodyMode): void {
    this.#headers = headers;
    const isShown = !endOfStream && mode !== "none" && mode !== "chunks";
    if (isShown) this.#reader = readingOf({ path: pathOf(headers), headers }, parsers).reader;
    if (this.#reader === undefined) {
      this.#router.metrics.passed(
        endOfStream ? "no-body" : isShown ? "unsupported-path" : "body-not-sent",
      );
      this.#passes = isShown;
      this.#answered = !isShown;
      answerHeaders(this.#send, { remove: this.#ownOnes(), set: this.#sameLength(isShown) });
      this.#headers = noHeaders;
      return;
    }
    this.#body.keepBeside(keptBytes);
    this.#body.expect(Number(headers.get("content-length")));
    if (mode === "whole") this.#send(headersResponse("requestHeaders"));
  }

  #requestBody({ body, endOfStream }: ProcessingRequest, mode: BodyMode): void {
    if (this.#passes || this.#answered) {
      this.#pass("requestBody", body, endOfStream, mode);
      this.#answered ||= endOfStream || mode === "whole";
      return;
    }
    const isLast = endOfStream || mode === "whole";
    this.#shortPieces.count(body);
    this.#body.append(body, isLast);
    this.#inFlight += 1;
    if (isLast) this.#endOfStream = endOfStream;
    this.#readOn();
  }

  #readOn(): void {
    this.#reader?.push(this.#body.bytes, partBytes);
    if (!this.readsOn && this.#endOfStream !== undefined) this.#route(this.#endOfStream);
  }

  /** Routes a request with a complete body. An empty body has no model. */
  #route(endOfStream: boolean): void {
    const { metrics, clock } = this.#router;
    const body = this.#body.bytes;
    const model = body.length === 0 ? undefined : this.#model(body);
    const routed = model ? this.#routed(model) : undefined;
    const start = clock.now();
    const answer = { ...this.#headersOf(routed, body.length), body, bodyChanged: false };
    const mode = this.#modes?.request ?? "duplex";
    answerRequest(this.#send, answer, { mode, endOfStream, inFlight: this.#inFlight });
    this.#answered = true;
    this.close();
    metrics.routed(model ?? "", routed?.target, this.#worked + clock.now() - start);
  }

  #model(body: Buffer): string | undefined {
    const model = this.#reader && modelOf(this.#reader.end(body));
    if (model !== undefined && hasControls(model))
      throw new RequestError("BadRequest", "the name of the model has control characters");
    return model;
  }

  /** @throws RequestError NotFound, with the OpenAI API's error for a model that does not exist */
  #routed(model: string): RoutedModel {
    const { routes, clock } = this.#router;
    const routed = routeModel(model, pathOf(this.#headers), routes(), clock.random());
    if (routed !== undefined) return routed;
    throw new RequestError("NotFound", `The model \`${model}\` does not exist`, {
      apiCode: "model_not_found",
    });
  }

  #headersOf(routed: RoutedModel | undefined, length: number) {
    const set: Array<readonly [string, string]> = [];
    if (routed !== undefined) set.push([modelHeaders.model.toLowerCase(), routed.model]);
    if (routed?.baseModel !== undefined)
      set.push([modelHeaders.baseModel.toLowerCase(), routed.baseModel]);
    if (routed?.target !== undefined) set.push([controlHeader.modelRewrite[0], routed.target]);
    // Proxies remove the length of a body that may change.
    set.push(["content-length", String(length)]);
    return {
      set,
      remove: this.#ownOnes().filter((name) => !set.some(([other]) => other === name)),
    };
  }

  /** Returns the router's headers that the client sent. */
  #ownOnes(): readonly string[] {
    return ownHeaders.filter((name) => this.#headers.has(name));
  }

  /** Returns the length of a body that is forwarded unread. */
  #sameLength(isShown: boolean): ReadonlyArray<readonly [string, string]> {
    const length = isShown ? this.#headers.get("content-length") : undefined;
    return length === undefined ? [] : [["content-length", length]];
  }

  #pass(
    phase: "requestBody" | "responseBody",
    body: Buffer,
    endOfStream: boolean,
    mode: BodyMode,
  ): void {
    if (mode !== "duplex") this.#send(bodyResponse(phase));
    else if (body.length > 0 || endOfStream)
      for (const answer of streamedBodies(phase, body, endOfStream)) this.#send(answer);
  }
}

/**
 * Whether a name has control characters, which a header cannot contain: a gateway would respond with 500, which counts
 * as a failure of the router.
 */
const hasControls = (name: string): boolean => Buffer.from(name).some(isControl);

const isControl = (byte: number): boolean => (byte < 0x20 && byte !== 0x09) || byte === 0x7f;
