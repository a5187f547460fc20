import type { SecureContextOptions } from "node:tls";
import { ServerCredentials } from "@grpc/grpc-js";
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

/** TLS for gRPC servers with a replaceable certificate. Open connections keep the old one. */
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
