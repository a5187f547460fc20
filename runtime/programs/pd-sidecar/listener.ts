import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Certificate } from "../../manager/tls/certificate.ts";

/** Timeouts for request headers and for idle connections, in ms, as in llm-d-router's sidecar. */
const timing = { headersTimeout: 30_000, keepAliveTimeout: 300_000 };

export interface ListenerOptions {
  /** Undefined for plain HTTP. */
  readonly certificate: Certificate | undefined;
  /** Timeout for receiving a complete request, in ms. */
  readonly requestTimeout: number;
}

/** An HTTP or HTTPS server on one port. */
export class Listener {
  readonly #server: Server | TlsServer;

  constructor(serve: RequestListener, { certificate, requestTimeout }: ListenerOptions) {
    const headersTimeout = Math.min(timing.headersTimeout, requestTimeout);
    const options = {
      ...{ ...timing, headersTimeout, requestTimeout, noDelay: true },
      connectionsCheckingInterval: Math.min(30_000, requestTimeout),
    };
    this.#server =
      certificate === undefined
        ? createServer(options, serve)
        : createTlsServer({ ...options, ...certificate }, serve);
  }

  /**
   * @param host undefined for all addresses of the machine
   * @returns the port
   */
  async listen(port: number, host: string | undefined): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject).listen(port, host, resolve);
    });
    return (this.#server.address() as AddressInfo).port;
  }

  /** Uses the certificate for new connections. */
  use(certificate: Certificate): void {
    if ("setSecureContext" in this.#server) this.#server.setSecureContext(certificate);
  }

  /** Stops accepting requests and resolves when the in-flight ones have ended. Aborts them after `withinMs`. */
  async stop(withinMs: number): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    const late = setTimeout(() => this.#server.closeAllConnections(), withinMs);
    await closed;
    clearTimeout(late);
  }
}
