import { execFileSync } from "node:child_process";
import { join } from "node:path";

/**
 * Writes tls.crt and tls.key into a directory: a self-signed certificate for clients, as this project's own
 * certificates are for servers only.
 *
 * @param host host name for which servers may use it too; default: none
 */
export function writeClientCertificate(
  directory: string,
  host?: string,
): { cert: string; key: string } {
  const [key, cert] = [join(directory, "tls.key"), join(directory, "tls.crt")];
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  execFileSync(
    "openssl",
    [
      ...["req", "-x509", ...newKey, "-subj", `/CN=${host ?? "client"}`],
      ...(host === undefined ? [] : ["-addext", `subjectAltName=DNS:${host}`]),
      ...["-keyout", key, "-out", cert],
    ],
    { stdio: "ignore" },
  );
  return { cert, key };
}
