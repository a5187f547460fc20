import { Agent, type ClientRequest, type IncomingMessage, request as sendHttp } from "node:http";
import { request as sendHttps, Agent as TlsAgent } from "node:https";

/** How engines of one kind are reached. */
export interface EngineConnections {
  readonly tls: boolean;
  readonly insecureSkipVerify: boolean;
  readonly maxIdle: number;
  /** Milliseconds after which a connection that does not open counts as refused. */
  readonly connectTimeoutMs: number;
}

export interface EngineRequest {
  readonly host: string;
  readonly port: number;
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: readonly string[];
}

/** Engines close connections that were idle for 5 s (uvicorn): ours are closed before. */
const idleMs = 4_000;

/** An engine that did not answer: its connection failed, or took too long to open. */
export class EngineUnreachable extends Error {
  /** Nothing listens there. */
  readonly refused: boolean;

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = "EngineUnreachable";
    this.refused = codeOf(cause) === "ECONNREFUSED";
  }
}

const codeOf = (error: unknown) =>
  error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;

const wasClosed = (error: unknown) => codeOf(error) === "ECONNRESET" || codeOf(error) === "EPIPE";

/**
 * Follows a request to its answer. One of `101` that nobody asked for ends it without an answer and without an error; a
 * status that nobody can hand on is none.
 */
export const answered = (
  sent: ClientRequest,
  onAnswer: (answer: IncomingMessage) => void,
  onError: (error: Error) => void,
): ClientRequest => {
  const endedEarly = () => onError(new Error("it ended without a response"));
  return sent
    .once("response", (answer) => {
      // It closes in any case, and an error with its stack costs each request time.
      sent.off("close", endedEarly);
      const { statusCode = 0 } = answer;
      if (statusCode >= 200) return onAnswer(answer);
      onError(new Error(`it returned status ${statusCode}`));
      sent.destroy();
    })
    .on("error", onError)
    .once("close", endedEarly);
};

/** One of the requests that a client's request becomes. */
export class Leg {
  #sent: ClientRequest | undefined;
  cancelled = false;

  follow(sent: ClientRequest): void {
    this.#sent = sent;
    if (this.cancelled) sent.destroy();
  }

  /** Nobody wants the answer any more. */
  cancel(): void {
    this.cancelled = true;
    this.#sent?.destroy();
  }

  /** The request that runs is given up; another may follow. */
  abandon(): void {
    this.#sent?.destroy(new Error("the engine took too long"));
  }
}

/** Connections to engines, kept open between requests. */
export class EngineClient {
  readonly #agent: Agent;
  readonly #send: typeof sendHttp;
  readonly #connectTimeoutMs: number;

  constructor({ tls, insecureSkipVerify, maxIdle, connectTimeoutMs }: EngineConnections) {
    const pool = { keepAlive: true, noDelay: true, timeout: idleMs, maxFreeSockets: maxIdle };
    this.#agent = tls
      ? new TlsAgent({ ...pool, rejectUnauthorized: !insecureSkipVerify })
      : new Agent(pool);
    this.#send = tls ? (sendHttps as typeof sendHttp) : sendHttp;
    this.#connectTimeoutMs = connectTimeoutMs;
  }

  /** Begins a request; the caller writes its body. */
  begin(request: EngineRequest): ClientRequest {
    const sent = this.#send({
      ...{ agent: this.#agent, host: request.host, port: request.port },
      ...{ method: request.method, path: request.path },
      headers: request.headers as string[],
      setHost: false,
    });
    sent.on("socket", (socket) => {
      if (!socket.connecting) return;
      // A process that stood still runs its timers first: what came meanwhile is read before anything is given up.
      const late = setTimeout(
        () =>
          setImmediate(() => {
            if (socket.connecting)
              sent.destroy(new Error(`no connection within ${this.#connectTimeoutMs} ms`));
          }),
        this.#connectTimeoutMs,
      );
      const opened = () => clearTimeout(late);
      socket.once("connect", opened).once("close", opened);
    });
    return sent;
  }

  /**
   * Sends a request whose body is known. Where a kept connection was closed in that moment, it is sent again.
   *
   * @throws EngineUnreachable
   */
  async send(request: EngineRequest, body: Buffer, leg: Leg): Promise<IncomingMessage> {
    for (;;) {
      const sent = this.begin(request);
      leg.follow(sent);
      try {
        return await new Promise((resolve, reject) => {
          answered(sent, resolve, reject).end(body);
        });
      } catch (error) {
        if (leg.cancelled || !sent.reusedSocket || !wasClosed(error))
          throw new EngineUnreachable(error);
      }
    }
  }

  close(): void {
    this.#agent.destroy();
  }
}
