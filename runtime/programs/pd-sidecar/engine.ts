import { Agent, type ClientRequest, type IncomingMessage, request as sendHttp } from "node:http";
import { request as sendHttps, Agent as TlsAgent } from "node:https";

/** Connection settings for engines of one role. */
export interface EngineConnections {
  readonly tls: boolean;
  readonly insecureSkipVerify: boolean;
  readonly maxIdle: number;
  /** Timeout for opening a connection, in ms. After it, the engine counts as unreachable. */
  readonly connectTimeoutMs: number;
}

export interface EngineRequest {
  readonly host: string;
  readonly port: number;
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: readonly string[];
}

/** Time after which an idle connection is closed, in ms. Engines (uvicorn) close idle connections after 5 s. */
const idleMs = 4_000;

/** The engine did not respond: its connection failed or took too long to open. */
export class EngineUnreachable extends Error {
  /** Whether nothing listens on the engine's port. */
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
 * Reports the response or the failure of a request. An unrequested `101` closes the request without a response or an
 * error event, which is reported as an error. So is any status below 200, because it cannot be relayed.
 */
export const answered = (
  sent: ClientRequest,
  onAnswer: (answer: IncomingMessage) => void,
  onError: (error: Error) => void,
): ClientRequest => {
  const endedEarly = () => onError(new Error("it ended without a response"));
  return sent
    .once("response", (answer) => {
      // `close` always follows, and creating an error with a stack for each request takes time.
      sent.off("close", endedEarly);
      const { statusCode = 0 } = answer;
      if (statusCode >= 200) return onAnswer(answer);
      onError(new Error(`it returned status ${statusCode}`));
      sent.destroy();
    })
    .on("error", onError)
    .once("close", endedEarly);
};

/** One of the requests to engines for a client's request. */
export class Leg {
  #sent: ClientRequest | undefined;
  cancelled = false;

  follow(sent: ClientRequest): void {
    this.#sent = sent;
    if (this.cancelled) sent.destroy();
  }

  /** Aborts the current request and all later ones: the response is not needed. */
  cancel(): void {
    this.cancelled = true;
    this.#sent?.destroy();
  }

  /** Aborts the current request; another may follow. */
  abandon(): void {
    this.#sent?.destroy(new Error("the engine took too long"));
  }
}

/** An HTTP client for engines. It keeps connections open between requests. */
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

  /** Starts a request; the caller writes its body. */
  begin(request: EngineRequest): ClientRequest {
    const sent = this.#send({
      ...{ agent: this.#agent, host: request.host, port: request.port },
      ...{ method: request.method, path: request.path },
      headers: request.headers as string[],
      setHost: false,
    });
    sent.on("socket", (socket) => {
      if (!socket.connecting) return;
      // After a pause of the process, timers run before I/O. `setImmediate` lets the process see a connection that
      // opened.
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
   * Sends a request with a complete body. Sends it again if a reused connection was closed at that moment.
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
