import type { Certificate } from "../../manager/tls/certificate.ts";
import type { ServingCertificate } from "./serving-certificate.ts";

export interface CertificateRenewalOptions {
  readonly certificate: Pick<ServingCertificate, "read" | "keep">;
  /** Interval for checking the certificate, in ms. */
  readonly intervalMs: number;
  /** Receives each certificate after the first. */
  readonly onChange: (certificate: Certificate) => void;
  readonly onError: (error: unknown) => void;
}

/** Checks the certificate periodically: the leader creates and renews it, and the other replicas read it. */
export class CertificateRenewal {
  readonly #options: CertificateRenewalOptions;
  readonly #first: Promise<Certificate>;
  #notifyFirst: (certificate: Certificate) => void = () => {};
  #current: Certificate | undefined;
  #timer: NodeJS.Timeout | undefined;
  #leading = false;
  #stopped = false;
  #looking = false;

  constructor(options: CertificateRenewalOptions) {
    this.#options = options;
    this.#first = new Promise((resolve) => {
      this.#notifyFirst = resolve;
    });
    this.#next(0);
  }

  /** Resolves with the first certificate. */
  first(): Promise<Certificate> {
    return this.#first;
  }

  lead(leading: boolean): void {
    this.#leading = leading;
    if (leading) this.#next(0);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #next(delay: number): void {
    if (this.#stopped) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#refresh(), delay);
    this.#timer.unref();
  }

  async #refresh(): Promise<void> {
    const { certificate, intervalMs, onError } = this.#options;
    if (this.#looking) return this.#next(intervalMs / 10);
    this.#looking = true;
    try {
      const found = this.#leading ? await certificate.keep() : await certificate.read();
      if (found !== undefined) this.#use(found);
    } catch (error) {
      onError(error);
    } finally {
      this.#looking = false;
    }
    // The webhook serves requests only once it has a certificate.
    this.#next(this.#current === undefined ? Math.min(intervalMs, 1_000) : intervalMs);
  }

  #use(found: Certificate): void {
    const before = this.#current;
    if (before?.cert.equals(found.cert) && before.key.equals(found.key)) return;
    this.#current = found;
    if (before === undefined) this.#notifyFirst(found);
    else this.#options.onChange(found);
  }
}
