import type { Endpoint } from "../../../scheduling/endpoints/endpoint.ts";
import type { RequestHeaders } from "../../../scheduling/requests/request-headers.ts";
import type { BegunResponse, ResponseSummary } from "../observer.ts";
import { EventLines } from "../payload/event-lines.ts";
import { FieldRewriter } from "../payload/field-rewriter.ts";
import { isRestorable, ModelRestorer } from "../payload/restore.ts";
import { UsageReader } from "../payload/usage.ts";
import type { ProcessingRequest } from "../protocol/processing-request.ts";
import {
  bodyResponse,
  headersResponse,
  maxChunkBytes,
  streamedBodies,
  streamedBody,
  trailersResponse,
} from "../protocol/processing-response.ts";
import type { Struct } from "../protocol/struct.ts";
import { controlHeader } from "../request-path/control-headers.ts";
import { markOf } from "../request-path/kept-state.ts";
import type { Dispatched } from "../request-path/pending-request.ts";
import type { EndpointPicker } from "../request-path/route.ts";
import type { BodyMode } from "./body-mode.ts";
import type { Send } from "./exchange.ts";

export interface ResponsePhaseInput {
  readonly picker: EndpointPicker;
  readonly mode: BodyMode;
  /** Time of the exchange's first message. */
  readonly started: number;
  /** Undefined if the request had no body, or if the proxy sends only responses. */
  readonly routed: Dispatched | undefined;
  readonly conformance: boolean;
  readonly asksWhoServed: boolean;
  readonly send: Send;
}

/** One of this many messages is timed, as a sample of all. */
const timedOf = 8;

/** The response half of an exchange: forwards bytes immediately, with the client's model name. */
export class ResponsePhase {
  readonly #input: ResponsePhaseInput;
  readonly #usage = new UsageReader();
  #rewriter: FieldRewriter | undefined;
  #served: Endpoint | undefined;
  #status = 0;
  #contentType = "";
  #streaming = false;
  /** Reads the lines of a stream of events; undefined for other responses. */
  #events: EventLines | undefined;
  #bytes = 0;
  #firstByteAt: number | undefined;
  #lastChunkAt: number | undefined;
  #chunkFollowed: ((seconds: number) => void) | undefined;
  #headersAt = 0;
  #messages = 0;
  #timed = 0;
  /** Time that this phase spent on the timed messages, in ms. */
  #workMs = 0;
  #ended = false;

  constructor(input: ResponsePhaseInput) {
    this.#input = input;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** The response is complete, has status 200 and no body, although the proxy sends bodies. */
  get isEmpty(): boolean {
    return this.#ended && this.#bytes === 0 && this.#status === 200 && this.#input.mode !== "none";
  }

  receive(message: ProcessingRequest): void {
    const { clock } = this.#input.picker;
    const came = clock.now();
    if (message.kind === "responseHeaders") {
      this.#headersAt = came;
      this.#headers(message);
      this.#input.routed?.inFlight.answered(message.headers, came);
    } else if (message.kind === "responseBody") this.#body(message, came);
    else this.#trailers();
    this.#messages += 1;
    if (this.#messages % timedOf !== 1) return;
    this.#workMs += clock.now() - came;
    this.#timed += 1;
  }

  #headers({ headers, metadata, endOfStream }: ProcessingRequest): void {
    const notified = servedAddress(metadata);
    this.#served = servedBy(this.#input.routed, notified);
    this.#status = Number(headers.get(":status") ?? headers.get("status") ?? 0);
    this.#contentType = headers.get("content-type") ?? "";
    this.#streaming = this.#contentType.includes("text/event-stream");
    // Comments cannot be found in a compressed stream.
    this.#events =
      this.#streaming && !headers.has("content-encoding") ? new EventLines() : undefined;
    this.#rewriter = this.#rewriterFor(headers);
    const lengthChanges = this.#rewriter !== undefined && headers.has("content-length");
    this.#input.send(
      headersResponse("responseHeaders", {
        set: [
          ...(this.#input.conformance ? [conformanceServedHeader(notified)] : []),
          ...(this.#input.asksWhoServed ? servedHeader(notified ?? this.#served?.address) : []),
          ...(this.#input.routed?.inFlight.responseHeaders ?? []),
        ],
        remove: lengthChanges ? ["content-length"] : [],
      }),
    );
    this.#ended = endOfStream;
    if (endOfStream || this.#input.mode === "none") this.#began();
  }

  #body({ body, endOfStream }: ProcessingRequest, came: number): void {
    this.#account(body, came);
    if (endOfStream && this.#bytes > 0 && this.#firstByteAt === undefined) this.#began();
    const restored = this.#rewriter?.push(body, endOfStream) ?? body;
    this.#forward(body, restored, endOfStream);
    this.#ended = endOfStream;
  }

  /** Sends the bytes held back before it answers the trailers. */
  #trailers(): void {
    const rest = this.#rewriter?.push(Buffer.alloc(0), true);
    if (rest !== undefined && rest.length > 0 && this.#input.mode === "duplex")
      this.#sendAll(rest, false);
    this.#input.send(trailersResponse("responseTrailers"));
    this.#ended = true;
  }

  summary(): ResponseSummary {
    const { picker, started } = this.#input;
    return {
      ...this.#begun(),
      seconds: (picker.clock.now() - started) / 1000,
      bytes: this.#bytes,
      processingSeconds: this.#processingSeconds(),
      usage: this.#usage.usage(),
    };
  }

  #begun(): BegunResponse {
    const firstByteAt = this.#firstByteAt;
    return {
      firstTokenSeconds: firstByteAt && (firstByteAt - this.#input.started) / 1000,
      streaming: this.#streaming,
      status: this.#status,
      served: this.#served,
    };
  }

  #began(): void {
    const { picker, routed } = this.#input;
    if (routed !== undefined) picker.observer.responseBegan(routed.labels, this.#begun());
  }

  /** Processing time of the response. For a stream, the model server's time between two chunks does not count. */
  #processingSeconds(): number {
    if (!this.#streaming) return (this.#input.picker.clock.now() - this.#headersAt) / 1000;
    return (this.#workMs * this.#messages) / this.#timed / 1000;
  }

  /**
   * Returns a rewriter that restores a rewritten model name or marks the id of a new conversation, if the response's
   * bytes can be read. A conversation has no model.
   */
  #rewriterFor(headers: RequestHeaders): FieldRewriter | undefined {
    const { mode, routed } = this.#input;
    if (routed === undefined || mode === "none" || !isRestorable(headers)) return;
    if (routed.createsConversation) {
      const isMade = this.#served !== undefined && this.#status < 300;
      return isMade ? new ConversationMarker(markOf(this.#served as Endpoint)) : undefined;
    }
    const { labels } = routed;
    if (labels.model === labels.targetModel || labels.model === "") return;
    return new ModelRestorer({
      from: labels.targetModel,
      to: labels.model,
      sse: this.#streaming,
    });
  }

  #account(body: Buffer, came: number): void {
    if (body.length === 0) return;
    this.#bytes += body.length;
    this.#usage.push(body);
    // A comment of a stream is not a token.
    if (this.#events?.push(body) === false) return;
    const { routed, picker } = this.#input;
    if (this.#firstByteAt === undefined) {
      this.#firstByteAt = came;
      routed?.inFlight.firstToken(came, this.#isWrong(body, routed.labels.targetModel));
      this.#began();
    }
    if (this.#streaming && routed !== undefined) {
      if (this.#lastChunkAt !== undefined) {
        this.#chunkFollowed ??= picker.observer.chunksOf(routed.labels);
        this.#chunkFollowed((came - this.#lastChunkAt) / 1000);
      }
      this.#lastChunkAt = came;
    }
  }

  /** Whether the first bytes are garbage, or an error that names the requested model as unknown. */
  #isWrong(body: Buffer, model: string): boolean {
    if (this.#status === 404) return model !== "" && body.includes(model);
    return isGarbled(this.#contentType, body);
  }

  #forward(received: Buffer, restored: Buffer, endOfStream: boolean): void {
    if (this.#input.mode === "duplex") this.#sendAll(restored, endOfStream);
    else
      this.#input.send(
        bodyResponse("responseBody", restored === received ? {} : { body: restored }),
      );
  }

  #sendAll(body: Buffer, endOfStream: boolean): void {
    if (body.length <= maxChunkBytes)
      this.#input.send(streamedBody("responseBody", body, endOfStream));
    else
      for (const answer of streamedBodies("responseBody", body, endOfStream))
        this.#input.send(answer);
  }
}

/** Whether a body does not start as its content type requires: JSON, or a stream of events. */
function isGarbled(contentType: string, body: Buffer): boolean {
  const start = body.toString("latin1", 0, 64).trimStart();
  if (start === "") return false;
  if (contentType.includes("text/event-stream")) return !/^(data|event|id|retry)?:/.test(start);
  return contentType.includes("application/json") && !/^[[{]/.test(start);
}

/** Address of the endpoint that served the response, if the proxy reports it. */
function servedAddress(metadata: ReadonlyMap<string, Struct>): string | undefined {
  const served = metadata.get("envoy.lb")?.["x-gateway-destination-endpoint-served"];
  return typeof served === "string" && served !== "" ? served : undefined;
}

function servedBy(
  routed: Dispatched | undefined,
  address: string | undefined,
): Endpoint | undefined {
  const endpoints = routed?.endpoints ?? [];
  return endpoints.find((endpoint) => endpoint.address === address) ?? endpoints[0];
}

/** Header for clients that ask for it; none if the endpoint is unknown, as for a request without a body. */
const servedHeader = (address: string | undefined): Array<readonly [string, string]> =>
  address === undefined ? [] : [[controlHeader.served[0], address]];

const conformanceServedHeader = (address: string | undefined): readonly [string, string] => [
  controlHeader.conformanceServed[0],
  address ?? "fail: the proxy named no served endpoint",
];

/** Longest conversation id that is marked, in bytes, with its quotes. */
const longestId = 512;

/** Adds the endpoint's mark to the id of a new conversation in the model server's response. */
class ConversationMarker extends FieldRewriter {
  constructor(mark: string) {
    super({
      ...{ field: "id", kind: "string", sse: false, longest: longestId },
      rewrite: (id) =>
        id.length > longestId ? undefined : Buffer.from(`${id.toString().slice(0, -1)}${mark}"`),
    });
  }
}
