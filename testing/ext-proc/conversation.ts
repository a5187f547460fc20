import { randomUUID } from "node:crypto";
import { type Http2Connection, type Http2Stream, headerBlock } from "./http2-connection.ts";
import { encodeRequest, headerMap, type ProcessingRequest, processMethod } from "./messages.ts";
import { bodyPieceOf, grpcFrame, MessageSplitter, phaseOf, replyPhase } from "./reply-reader.ts";

/** Form of one request of a load. */
export interface Shape {
  /** Length of the request's body. */
  promptBytes: number;
  /** How many different prompts there are, used in turn. */
  prompts: number;
  /** Length of a piece of the request's body in one message. */
  bodyChunkBytes: number;
  /** Server-sent events of the response, one a message; 0 leaves the response phase out. */
  responseChunks: number;
  model: string;
}

/** The messages of a load, encoded once. */
export interface Script {
  opening: Buffer;
  /** Request headers; holds `placeholderId`, to be written over. */
  requestHeaders: Buffer;
  idOffset: number;
  /** Messages of each prompt's body. */
  bodies: Buffer[][];
  responseHeaders: Buffer;
  responseChunks: Buffer[];
  /** Length of the response's body. */
  responseBytes: number;
}

const placeholderId = "00000000-0000-4000-8000-000000000000";

const frameOf = (message: ProcessingRequest) => grpcFrame(encodeRequest(message));

export function writeScript(shape: Shape, { authority, tls }: { authority: string; tls: boolean }) {
  const requestHeaders = frameOf({
    requestHeaders: { headers: headerMap(clientHeaders(shape)), endOfStream: false },
  });
  const events = Array.from({ length: shape.responseChunks }, (_, at) =>
    Buffer.from(eventOf(shape, at)),
  );
  const script: Script = {
    opening: headerBlock([
      [":method", "POST"],
      [":scheme", tls ? "https" : "http"],
      [":path", processMethod.path],
      [":authority", authority],
      ["te", "trailers"],
      ["content-type", "application/grpc"],
    ]),
    requestHeaders,
    idOffset: requestHeaders.indexOf(placeholderId),
    bodies: Array.from({ length: shape.prompts }, (_, prompt) => bodyMessages(shape, prompt)),
    responseHeaders: frameOf({
      responseHeaders: { headers: headerMap(serverHeaders), endOfStream: false },
    }),
    responseChunks: events.map((body, at) =>
      frameOf({ responseBody: { body, endOfStream: at === events.length - 1 } }),
    ),
    responseBytes: events.reduce((sum, event) => sum + event.length, 0),
  };
  return script;
}

/** Request headers that Envoy sends for the openai client. */
const clientHeaders = ({ promptBytes }: Shape) => ({
  ":authority": "gateway.example.com",
  ":path": "/v1/completions",
  ":method": "POST",
  ":scheme": "http",
  accept: "application/json",
  "content-type": "application/json",
  "content-length": String(promptBytes),
  "user-agent": "OpenAI/JS 7.55.0",
  authorization: `Bearer ${"k".repeat(51)}`,
  "accept-encoding": "gzip, deflate, br",
  "accept-language": "*",
  "sec-fetch-mode": "cors",
  "x-stainless-arch": "x64",
  "x-stainless-lang": "js",
  "x-stainless-os": "Linux",
  "x-stainless-package-version": "7.55.0",
  "x-stainless-retry-count": "0",
  "x-stainless-runtime": "node",
  "x-stainless-runtime-version": "v24.21.0",
  "x-forwarded-for": "127.0.0.1",
  "x-forwarded-proto": "http",
  "x-request-id": placeholderId,
});

/** Response headers that Envoy sends for a streamed response of vLLM. */
const serverHeaders = {
  ":status": "200",
  date: "Mon, 02 Nov 2026 10:00:00 GMT",
  server: "uvicorn",
  "content-type": "text/event-stream; charset=utf-8",
  "x-envoy-upstream-service-time": "12",
};

/** A completion request of the wanted length whose text differs from the first block on. */
export function completionBody(
  { promptBytes, model, responseChunks }: Pick<Shape, "promptBytes" | "model" | "responseChunks">,
  prompt: number,
) {
  const start = `{"model":"${model}","stream":${responseChunks > 0},"max_tokens":100,"prompt":"`;
  const words = `prompt ${prompt} says that the quick brown fox number ${prompt} jumps over a lazy dog. `;
  const length = Math.max(1, promptBytes - start.length - 2);
  return Buffer.from(`${start}${words.repeat(length / words.length + 1).slice(0, length)}"}`);
}

function bodyMessages(shape: Shape, prompt: number): Buffer[] {
  const body = completionBody(shape, prompt);
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length; at += shape.bodyChunkBytes) {
    const end = at + shape.bodyChunkBytes;
    const requestBody = { body: body.subarray(at, end), endOfStream: end >= body.length };
    pieces.push(frameOf({ requestBody }));
  }
  return pieces;
}

function eventOf({ model, responseChunks }: Shape, at: number): string {
  const last = at === responseChunks - 1;
  const event = {
    id: "cmpl-7c1f5ff2e3a94f6a9a3e6e3d0c5b1a42",
    object: "text_completion",
    created: 1_793_613_600,
    model,
    choices: last ? [] : [{ index: 0, text: " token", logprobs: null, finish_reason: null }],
    ...(last && {
      usage: { prompt_tokens: 250, total_tokens: 250 + at, completion_tokens: at },
    }),
  };
  return `data: ${JSON.stringify(event)}\n\n${last ? "data: [DONE]\n\n" : ""}`;
}

/** The moment at which a client gives up: before it has sent all, before the pick, before the response or within it. */
export const cancelPoints = ["headers", "body", "picked", "response"] as const;
export type CancelPoint = (typeof cancelPoints)[number];

export interface ConversationEvents {
  /** The reply with the endpoint came. */
  onPicked(): void;
  /** Called when all was answered, or with the `failure`. Not called for a cancelled request. */
  onEnd(failure: string | undefined): void;
  onCancelled(): void;
  /** The response's headers were sent; the caller that paces the response sends its chunks from now on. */
  onResponse(): void;
}

/** One request as a proxy in full-duplex mode sends it to a picker. */
export class Conversation {
  readonly #script: Script;
  readonly #events: ConversationEvents;
  readonly #cancelAt: CancelPoint | undefined;
  readonly #stream: Http2Stream;
  readonly #splitter = new MessageSplitter((reply) => this.#receive(reply));
  #sentChunks = 0;
  #picked = false;
  #answered = false;
  #responseBytes = 0;
  #over = false;

  constructor(
    connection: Http2Connection,
    script: Script,
    prompt: number,
    cancelAt: CancelPoint | undefined,
    events: ConversationEvents,
  ) {
    this.#script = script;
    this.#events = events;
    this.#cancelAt = cancelAt;
    this.#stream = connection.open(script.opening, {
      onData: (payload) => this.#splitter.push(payload),
      onEnd: (failure) => this.#end(failure ?? (this.#answered ? undefined : "ended too early")),
    });
    this.#request(script.bodies[prompt % script.bodies.length] ?? []);
  }

  /** Sends the next chunks of the response. */
  respond(chunks: number): void {
    const { responseChunks } = this.#script;
    for (let count = 0; count < chunks && !this.#over; count += 1) {
      const chunk = responseChunks[this.#sentChunks];
      if (chunk === undefined) return;
      this.#stream.write(chunk);
      this.#sentChunks += 1;
      if (this.#cancelAt === "response" && this.#sentChunks * 2 >= responseChunks.length)
        this.#cancel();
    }
  }

  get chunksLeft(): number {
    return this.#over ? 0 : this.#script.responseChunks.length - this.#sentChunks;
  }

  #request(body: readonly Buffer[]): void {
    this.#stream.write(withFreshId(this.#script));
    if (this.#cancelAt !== "headers") for (const message of body) this.#stream.write(message);
    if (this.#cancelAt === "headers" || this.#cancelAt === "body") this.#cancel();
  }

  #receive(reply: Buffer): void {
    if (this.#over) return;
    const phase = phaseOf(reply);
    switch (phase) {
      case replyPhase.requestHeaders:
        this.#picked = reply.includes("x-gateway-destination-endpoint");
        this.#events.onPicked();
        break;
      case replyPhase.requestBody:
        if (bodyPieceOf(reply, phase)?.endOfStream === true) this.#requestAnswered();
        break;
      case replyPhase.responseHeaders:
        break;
      case replyPhase.responseBody:
        this.#responsePiece(reply);
        break;
      default:
        this.#end(phase === replyPhase.immediateResponse ? "refused" : `a reply of field ${phase}`);
    }
  }

  #requestAnswered(): void {
    if (!this.#picked) this.#end("the body came back before an endpoint");
    else if (this.#cancelAt === "picked") this.#cancel();
    else if (this.#script.responseChunks.length === 0) this.#finish();
    else {
      this.#stream.write(this.#script.responseHeaders);
      this.#events.onResponse();
    }
  }

  #responsePiece(reply: Buffer): void {
    const piece = bodyPieceOf(reply, replyPhase.responseBody);
    this.#responseBytes += piece?.bytes ?? 0;
    if (piece?.endOfStream !== true) return;
    const { responseBytes } = this.#script;
    if (this.#responseBytes === responseBytes) this.#finish();
    else this.#end(`${this.#responseBytes} bytes of a response of ${responseBytes}`);
  }

  /** Half-closes; the picker's trailers end the conversation. */
  #finish(): void {
    this.#answered = true;
    this.#stream.write(Buffer.alloc(0), true);
  }

  #cancel(): void {
    this.#over = true;
    this.#stream.cancel();
    this.#events.onCancelled();
  }

  #end(failure: string | undefined): void {
    if (this.#over) return;
    this.#over = true;
    if (failure !== undefined) this.#stream.cancel();
    this.#events.onEnd(failure);
  }
}

function withFreshId({ requestHeaders, idOffset }: Script): Buffer {
  const message = Buffer.from(requestHeaders);
  message.write(randomUUID(), idOffset, "latin1");
  return message;
}
