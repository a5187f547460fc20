import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { hostPort } from "../../../scheduling/endpoints/endpoint.ts";
import type { Certificate } from "../../manager/tls/certificate.ts";

/** A request that an engine received. */
export interface Recorded {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
  readonly json: Record<string, unknown>;
}

export type Answer = (request: Recorded, response: ServerResponse) => void;

/** A fake engine that records its requests and responds with `answer`. */
export class RecordingEngine {
  readonly requests: Recorded[] = [];
  /** Requests whose connection closed before the response was complete. */
  cancelled = 0;
  answer: Answer;
  readonly #server: ReturnType<typeof createServer>;

  /** @param certificate undefined for plain HTTP */
  constructor(answer: Answer, certificate?: Certificate) {
    this.answer = answer;
    const serve = (request: IncomingMessage, response: ServerResponse) =>
      void this.#serve(request, response);
    this.#server =
      certificate === undefined ? createServer(serve) : createTlsServer({ ...certificate }, serve);
  }

  async start(port = 0, host = "127.0.0.1"): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(port, host, resolve));
    return this;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get host(): string {
    return (this.#server.address() as AddressInfo).address;
  }

  get address(): string {
    return hostPort(this.host, this.port);
  }

  get last(): Recorded {
    return this.requests.at(-1) as Recorded;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const json = text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : {};
    const recorded = { path: request.url as string, headers: request.headers, text, json };
    this.requests.push(recorded);
    response.once("close", () => {
      if (!response.writableFinished) this.cancelled += 1;
    });
    this.answer(recorded, response);
  }
}

/** The transfer object of a vLLM 0.32 prefiller, with an integer that a double cannot represent. */
export const transfer =
  '{"do_remote_prefill":true,"do_remote_decode":false,"remote_block_ids":[[1,2,3]],"remote_engine_id":"e8243a49","remote_request_id":"chatcmpl-96b57c44","remote_host":"127.0.0.1","remote_port":15600,"tp_size":1,"remote_num_tokens":189, "unknown": 12345678901234567890}';

export const json =
  (text: string, status = 200): Answer =>
  (_, response) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(text);

const usage = (cached: number) =>
  `"usage":{"prompt_tokens":189,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":${cached}}}`;

/** Response of a prefiller with 32 cached tokens. */
export const prefilled = json(`{"id":"p","kv_transfer_params":${transfer},${usage(32)}}`);

export const events: readonly string[] = [
  'data: {"id":"d","choices":[{"delta":{"content":"a\\"usage\\": {"}}]}\n\n',
  ": a comment\r\n\r\n",
  `data: {"id":"d","choices":[],${usage(189)}}\n\n`,
  "data: [DONE]\n\n",
];

/** Response of a decoder that reports the whole prompt as cached. */
export const decoded: Answer = ({ json: { stream } }, response) => {
  if (stream !== true)
    return json(`{"id":"d","choices":[{"text":"a"}],${usage(189)}}`)({} as Recorded, response);
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  for (const event of events) response.write(event);
  response.end();
};
