import { readFile } from "node:fs/promises";
import type { KubernetesClient } from "../../../kubernetes/api/client.ts";
import type { Log } from "../log.ts";
import { processMetrics } from "../metrics/process-metrics.ts";
import { readCertificate, watchCertificate } from "../tls/certificate.ts";
import { accessReview, type ReviewApi } from "./access-review.ts";
import { type OperatorPages, operatorServer } from "./operator-server.ts";

/** Files for the pages' TLS. The certificate is read again when it changes. */
export interface PageTls {
  readonly certificateDirectory: string;
  /** CA of the certificate that readers must have; undefined if none is required. */
  readonly clientCaFile: string | undefined;
}

export interface PageOptions {
  readonly pages: OperatorPages;
  /** Decides on access to the pages; undefined if every client may read. */
  readonly reviews: ReviewApi | undefined;
  /** Undefined for plain HTTP. */
  readonly tls: PageTls | undefined;
  readonly log: Log;
}

export interface PageServer {
  readonly port: number;
  stop(): Promise<void>;
}

/** Serves the pages for operators of any program: its metrics, process metrics, and debug pages. */
export async function servePages(
  port: number,
  { pages, reviews, tls, log }: PageOptions,
): Promise<PageServer> {
  const certificate = tls && (await readCertificate(tls.certificateDirectory));
  const clientCa = tls?.clientCaFile === undefined ? undefined : await readFile(tls.clientCaFile);
  const ofProcess = processMetrics();
  const server = operatorServer({
    pages: {
      debug: pages.debug,
      ...(pages.open && { open: pages.open }),
      // The families of a program may change over time.
      get families() {
        return [...pages.families, ...ofProcess];
      },
    },
    access: reviews && accessReview(reviews, () => performance.now()),
    tls: certificate && { certificate, clientCa },
    onError: (error) => log.error("metrics not served", error),
  });
  const bound = await server.listen(port);
  const unwatch =
    tls &&
    certificate &&
    watchCertificate({
      directory: tls.certificateDirectory,
      current: certificate,
      onChange: (changed) => server.use(changed),
      onError: (error) => log.error("certificate of the metrics not reloaded", error),
    });
  return {
    port: bound,
    stop() {
      unwatch?.();
      return server.close();
    },
  };
}

/** Returns a review API that uses a client of the API server. */
export const reviewsBy = (client: Pick<KubernetesClient, "request">): ReviewApi => ({
  create: (path, body) => client.request("POST", path, { body }),
});
