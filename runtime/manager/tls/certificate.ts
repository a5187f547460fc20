import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createSecureContext } from "node:tls";

/** A certificate chain and its private key, both PEM. */
export interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/**
 * Reads `tls.crt` and `tls.key` of a directory, the layout of a Kubernetes TLS Secret.
 *
 * @throws Error if a file cannot be read or the key does not match the certificate
 */
export async function readCertificate(directory: string): Promise<Certificate> {
  try {
    const [cert, key] = await Promise.all([
      readFile(join(directory, "tls.crt")),
      readFile(join(directory, "tls.key")),
    ]);
    createSecureContext({ cert, key });
    return { cert, key };
  } catch (error) {
    throw new Error(`certificate of ${directory}: give tls.crt and its tls.key, both PEM`, {
      cause: error,
    });
  }
}

export interface CertificateWatch {
  readonly directory: string;
  /** The certificate in use. */
  readonly current: Certificate;
  /** Interval of reading the files, in ms. Default 10,000. */
  readonly everyMs?: number;
  readonly onChange: (certificate: Certificate) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Reads the files at an interval, and reports a new certificate once it is complete. The files are not watched, because
 * a Secret's volume is updated by swapping a link. A half-written change is an error until the other half arrives.
 *
 * @returns a function that ends this
 */
export function watchCertificate(watch: CertificateWatch): () => void {
  let { current } = watch;
  let stopped = false;
  let timer: NodeJS.Timeout;
  const next = () => {
    timer = setTimeout(() => void poll(), watch.everyMs ?? 10_000);
    timer.unref();
  };
  async function poll() {
    try {
      const found = await readCertificate(watch.directory);
      if (stopped) return;
      if (!found.cert.equals(current.cert) || !found.key.equals(current.key)) {
        current = found;
        watch.onChange(found);
      }
    } catch (error) {
      watch.onError(error);
    }
    if (!stopped) next();
  }
  next();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
