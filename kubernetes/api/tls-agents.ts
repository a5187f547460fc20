import * as http from "node:http";
import * as https from "node:https";

/**
 * The agent of the current TLS material. When the client certificate or the certificate authority changes, a new agent
 * is used and the old agent's idle connections are closed, so that connections neither accumulate nor continue with an
 * old certificate.
 */
export class TlsAgents {
  readonly #secure: boolean;
  readonly #options: http.AgentOptions;
  #material = "";
  #agent: http.Agent | undefined;

  /** @param maxSockets maximum number of connections of an agent */
  constructor(secure: boolean, maxSockets = Number.POSITIVE_INFINITY) {
    this.#secure = secure;
    this.#options = { keepAlive: true, maxSockets };
  }

  agentFor({ ca, cert, key, rejectUnauthorized, servername }: https.RequestOptions): http.Agent {
    const tls = { ca, cert, key, rejectUnauthorized, servername };
    const material = JSON.stringify([textOf(ca), textOf(cert), textOf(key), rejectUnauthorized]);
    if (this.#agent !== undefined && material === this.#material) return this.#agent;
    const before = this.#agent;
    this.#material = material;
    this.#agent = this.#secure
      ? new https.Agent({ ...this.#options, ...tls })
      : new http.Agent(this.#options);
    if (before !== undefined) retire(before);
    return this.#agent;
  }

  destroy(): void {
    this.#agent?.destroy();
    this.#agent = undefined;
  }
}

const textOf = (material: unknown) => (material === undefined ? "" : String(material));

/** Closes idle connections now, and busy ones after their request. */
function retire(agent: http.Agent): void {
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets))
    for (const socket of sockets ?? []) socket.destroy();
}
