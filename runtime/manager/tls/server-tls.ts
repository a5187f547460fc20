import { createSecureServer, type Http2SecureServer, type SecureServerOptions } from "node:http2";
import type { SecureContextOptions } from "node:tls";
import type { Certificate } from "./certificate.ts";
import type { TlsVersion } from "./go-names.ts";

export interface TlsSettings {
  /** Oldest supported version; undefined for TLS 1.2. */
  readonly minVersion: TlsVersion | undefined;
  /** OpenSSL's cipher list; undefined for Node's default. */
  readonly ciphers: string | undefined;
  /** CAs of the certificate that clients must have; undefined if none is required. */
  readonly clientCa?: Buffer | undefined;
}

/** TLS of HTTP/2 servers, with a replaceable certificate. Open connections keep the old one. */
export class ServerTls {
  readonly #settings: TlsSettings;
  readonly #servers = new Set<Http2SecureServer>();
  #certificate: Certificate;

  constructor(certificate: Certificate, settings: TlsSettings) {
    this.#certificate = certificate;
    this.#settings = settings;
  }

  /** Returns a server that has the current certificate until it closes. */
  newServer(options: SecureServerOptions): Http2SecureServer {
    const isAsked = this.#settings.clientCa !== undefined;
    const server = createSecureServer({
      ...options,
      ...contextOf(this.#certificate, this.#settings),
      requestCert: isAsked,
      rejectUnauthorized: isAsked,
    });
    this.#servers.add(server);
    server.once("close", () => this.#servers.delete(server));
    return server;
  }

  /** Sets the certificate of new connections. */
  use(certificate: Certificate): void {
    this.#certificate = certificate;
    for (const server of this.#servers)
      server.setSecureContext(contextOf(certificate, this.#settings));
  }
}

/** Passes all settings each time, because a new context does not keep the previous ones. */
function contextOf(
  { cert, key }: Certificate,
  { minVersion, ciphers, clientCa }: TlsSettings,
): SecureContextOptions {
  return {
    cert,
    key,
    minVersion: minVersion ?? "TLSv1.2",
    ...(ciphers !== undefined && { ciphers }),
    ...(clientCa !== undefined && { ca: clientCa }),
  };
}
