import type { SecureContextOptions } from "node:tls";
import { ServerCredentials } from "@grpc/grpc-js";
import type { Certificate } from "./certificate.ts";
import type { TlsVersion } from "./go-names.ts";

export interface TlsSettings {
  /** Oldest version that is spoken; undefined for TLS 1.2. */
  readonly minVersion: TlsVersion | undefined;
  /** OpenSSL's cipher list; undefined for Node's. */
  readonly ciphers: string | undefined;
  /** CAs that clients must have a certificate of; undefined: clients need none. */
  readonly clientCa?: Buffer | undefined;
}

/** TLS for gRPC servers, with a certificate that can change: connections that are open keep theirs. */
export class TlsCredentials extends ServerCredentials {
  readonly #settings: TlsSettings;

  constructor(certificate: Certificate, settings: TlsSettings) {
    const isAsked = settings.clientCa !== undefined;
    super({ requestCert: isAsked, rejectUnauthorized: isAsked }, contextOf(certificate, settings));
    this.#settings = settings;
  }

  use(certificate: Certificate): void {
    this.updateSecureContextOptions(contextOf(certificate, this.#settings));
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }
}

/** All of it each time: a new context forgets the settings of the one before. */
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
