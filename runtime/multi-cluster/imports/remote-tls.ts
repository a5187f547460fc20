import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import {
  type ConnectionOptions,
  createSecureContext,
  type PeerCertificate,
  checkServerIdentity as problemWithName,
} from "node:tls";
import { type Certificate, readCertificate } from "../../manager/tls/certificate.ts";

/** How to verify pickers of other clusters, and the certificate that this picker presents. */
export interface RemoteTlsOptions {
  /** CA certificates for remote pickers; undefined for the system's CAs. */
  readonly caFile: string | undefined;
  /** Flag of this file, with its dashes, for error messages. Default `--remote-ca-file`. */
  readonly caFlag?: string;
  /** Directory with tls.crt and tls.key, presented to pickers that request a client certificate. */
  readonly certificateDirectory: string | undefined;
  /** Expected name in certificates; undefined for the names of the picker's Service, and its address. */
  readonly serverName: string | undefined;
  /** Whether any certificate is accepted. */
  readonly insecure: boolean;
}

/** Current content of the files. */
export interface RemoteTlsFiles {
  readonly ca: Buffer | undefined;
  readonly certificate: Certificate | undefined;
}

/** @throws Error if a file cannot be read or does not contain a certificate */
export async function readRemoteTls({
  caFile,
  caFlag = "--remote-ca-file",
  certificateDirectory: directory,
}: RemoteTlsOptions): Promise<RemoteTlsFiles> {
  return {
    ca: caFile === undefined ? undefined : await readCa(caFile, caFlag),
    certificate: directory === undefined ? undefined : await readCertificate(directory),
  };
}

async function readCa(file: string, flag: string): Promise<Buffer> {
  try {
    const ca = await readFile(file);
    createSecureContext({ ca });
    if (!ca.includes("-----BEGIN CERTIFICATE-----")) throw new Error("no certificate in it");
    return ca;
  } catch (cause) {
    throw new Error(`${flag} ${file}: give certificates of CAs, PEM`, { cause });
  }
}

export interface RemoteTlsWatch {
  readonly options: RemoteTlsOptions;
  readonly current: RemoteTlsFiles;
  /** Poll interval in ms. Default 10,000. */
  readonly everyMs?: number;
  readonly onChange: (files: RemoteTlsFiles) => void;
  readonly onError: (error: unknown) => void;
}

/** Polls the files and reports new, complete versions. Returns a function that stops it. */
export function watchRemoteTls(watch: RemoteTlsWatch): () => void {
  const { options, everyMs = 10_000, onChange, onError } = watch;
  let { current } = watch;
  let stopped = false;
  const poll = async () => {
    try {
      const found = await readRemoteTls(options);
      if (stopped || isSame(found, current)) return;
      current = found;
      onChange(found);
    } catch (error) {
      onError(error);
    }
  };
  const timer = setInterval(() => void poll(), everyMs);
  timer.unref();
  return () => {
    stopped = true;
    clearInterval(timer);
  };
}

const isSame = (a: RemoteTlsFiles, b: RemoteTlsFiles) =>
  sameBytes(a.ca, b.ca) &&
  sameBytes(a.certificate?.cert, b.certificate?.cert) &&
  sameBytes(a.certificate?.key, b.certificate?.key);

const sameBytes = (a: Buffer | undefined, b: Buffer | undefined) =>
  a === undefined || b === undefined ? a === b : a.equals(b);

/**
 * Returns the TLS options of a connection to a picker. Its certificate must contain one of the names.
 *
 * @param names the first one is sent to the server as SNI
 */
export function tlsOptions(
  { insecure }: RemoteTlsOptions,
  { ca, certificate }: RemoteTlsFiles,
  names: readonly string[],
): ConnectionOptions {
  return {
    ...(ca && { ca }),
    ...(certificate && { cert: certificate.cert, key: certificate.key }),
    // IP addresses are not sent as SNI (RFC 6066).
    servername: isIP(names[0] ?? "") === 0 ? names[0] : "",
    rejectUnauthorized: !insecure,
    checkServerIdentity: (_host: string, peer: PeerCertificate) => nameProblem(names, peer),
  };
}

function nameProblem(names: readonly string[], peer: PeerCertificate): Error | undefined {
  const problems = names.map((name) => problemWithName(name, peer));
  if (problems.includes(undefined)) return undefined;
  return new Error(
    `the certificate is for ${peer.subjectaltname || "no name"}, not for ${names.join(" or ")}`,
  );
}

/** Returns the names in certificates of a picker's Service, and the address that is connected to. */
export const namesOfService = (service: string, namespace: string, host: string): string[] => [
  `${service}.${namespace}.svc`,
  `${service}.${namespace}.svc.cluster.local`,
  `${service}.${namespace}`,
  host,
];

/** Error codes of Node for a certificate with an unknown CA. */
const unverified = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
]);

const plaintextServed = new Set(["ERR_SSL_WRONG_VERSION_NUMBER", "ERR_SSL_PACKET_LENGTH_TOO_LONG"]);

/** Error codes for a server that refuses the client's certificate or requires one. */
const clientRefused = /ALERT_(CERTIFICATE_REQUIRED|UNKNOWN_CA|BAD_CERTIFICATE|HANDSHAKE_FAILURE)$/;

/** Adds advice to a connection error if the fix is known. */
export function explainTls(error: Error): Error {
  const advice = adviceOn((error as NodeJS.ErrnoException).code ?? "");
  return advice === undefined ? error : new Error(`${error.message}: ${advice}`, { cause: error });
}

function adviceOn(code: string): string | undefined {
  if (unverified.has(code))
    return "give --remote-ca-file with the certificate of its CA, and the picker a certificate of that CA with --cert-path (without it, the picker creates a new certificate at each start), or give --remote-insecure to accept any";
  if (plaintextServed.has(code))
    return "the picker serves no TLS; give it --secure-serving, or give this picker --remote-plaintext";
  if (clientRefused.test(code))
    return "the picker requires a client certificate; give --remote-cert-path with a certificate of a CA that it trusts";
  return undefined;
}
