import http from "node:http";
import https from "node:https";
import { readBody } from "../../../kubernetes/api/read-body.ts";
import { type TokenQuestion, tokensOfAnswer } from "../payload/token-input.ts";

export interface TokenClientOptions {
  /** TLS for https. Certificates are checked only with `rejectUnauthorized`. */
  readonly tls?: https.AgentOptions | undefined;
  readonly now: () => number;
}

/** A token request to a server. */
export interface TokenizeRequest {
  /** Scheme, address and port: `http://10.0.0.1:8000`. */
  readonly origin: string;
  readonly question: TokenQuestion;
  readonly model: string;
  /** Body of the request, with the model name that the server knows. */
  readonly body: Buffer;
  readonly signal: AbortSignal;
}

/** Time without `render` requests to a server that does not support it, in ms. */
const renderRetryMs = 60_000;
const maxAnswerBytes = 16 * 2 ** 20;

/**
 * Requests the tokens of a request from vLLM: by `render`, which accepts every kind of request, if the server has it
 * (`--enable-scale-out`), or else by `/tokenize`, which accepts prompts and chats.
 */
export class TokenClient {
  readonly #options: TokenClientOptions;
  readonly #agents = new Map<string, http.Agent>();
  /** By origin: time until which `/tokenize` is used. */
  readonly #withoutRender = new Map<string, number>();

  constructor(options: TokenClientOptions) {
    this.#options = options;
  }

  /** @throws Error if the server returns no tokens */
  async tokens(asked: TokenizeRequest): Promise<number[][]> {
    const { origin, question, body } = asked;
    if ((this.#withoutRender.get(origin) ?? 0) <= this.#options.now()) {
      const { status, answer } = await this.#post(asked, question.renderPath, body);
      if (status === 200) return reported(answer);
      if (![403, 404, 405, 501].includes(status)) throw new Error(`render: HTTP status ${status}`);
      this.#notBefore(origin);
    }
    if (question.tokenize === undefined)
      throw new Error(`${question.renderPath} is not served; vLLM needs --enable-scale-out`);
    const { status, answer } = await this.#post(asked, "/tokenize", tokenizeBody(asked));
    if (status !== 200) throw new Error(`/tokenize: HTTP status ${status}`);
    return reported(answer);
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
  }

  #notBefore(origin: string): void {
    // Drops expired entries, because pods are replaced over time.
    const now = this.#options.now();
    for (const [each, until] of this.#withoutRender)
      if (until <= now) this.#withoutRender.delete(each);
    this.#withoutRender.set(origin, now + renderRetryMs);
  }

  async #post({ origin, signal }: TokenizeRequest, path: string, body: Buffer) {
    const { request } = origin.startsWith("https:") ? https : http;
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
      const headers = { "content-type": "application/json", "content-length": body.length };
      const sent = request(`${origin}${path}`, {
        ...{
          method: "POST",
          headers,
          signal,
          agent: this.#agent(origin.split(":", 1)[0] as string),
        },
      });
      sent.on("response", resolve).on("error", reject).end(body);
    });
    const answer = await readBody(response, { what: "the answer", maxBytes: maxAnswerBytes });
    return { status: response.statusCode ?? 0, answer };
  }

  #agent(scheme: string): http.Agent {
    const known = this.#agents.get(scheme);
    if (known !== undefined) return known;
    const keepAlive = { keepAlive: true, maxSockets: 8, scheduling: "lifo" } as const;
    const agent =
      scheme === "https"
        ? new https.Agent({ ...keepAlive, rejectUnauthorized: false, ...this.#options.tls })
        : new http.Agent(keepAlive);
    this.#agents.set(scheme, agent);
    return agent;
  }
}

function tokenizeBody({ model, question: { tokenize = [] } }: TokenizeRequest): Buffer {
  const members = tokenize.flatMap(([name, value]) => [Buffer.from(`,"${name}":`), value]);
  return Buffer.concat([
    Buffer.from(`{"model":${JSON.stringify(model)}`),
    ...members,
    Buffer.from("}"),
  ]);
}

function reported(answer: Buffer): number[][] {
  const tokens = tokensOfAnswer(JSON.parse(answer.toString("utf8")));
  if (tokens === undefined) throw new Error("the response has no usable tokens");
  return tokens;
}
