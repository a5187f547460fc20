import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { Certificate } from "../process/tls/certificate.ts";
import { type AdmissionRequest, readReview, reviewAnswer, type Verdict } from "./admission.ts";

/** Path that the API server posts reviews to. */
export const admissionPath = "/mutate-pods";

/** The API server's own limit of a request is 3 MiB. */
const longestBody = 4 * 1024 * 1024;

export interface AdmissionServer {
  /** @returns the port */
  listen(port: number): Promise<number>;
  /** For the connections to come. */
  use(certificate: Certificate): void;
  close(): Promise<void>;
}

/** Serves reviews of pods over TLS. */
export function admissionServer(
  certificate: Certificate,
  judge: (request: AdmissionRequest) => Promise<Verdict>,
  onError: (error: unknown) => void,
): AdmissionServer {
  let closing = false;
  const server: Server = createServer(
    { ...contextOf(certificate), keepAliveTimeout: 120_000 },
    (request, response) => {
      if (closing) response.setHeader("connection", "close");
      answer(judge, request, response).catch((error: unknown) => {
        onError(error);
        if (response.headersSent) response.destroy();
        else plain(response, 400, "not a review of a pod");
      });
    },
  );
  return {
    listen: (port) =>
      new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen(port, () => resolve((server.address() as AddressInfo).port));
      }),
    use: (next) => server.setSecureContext(contextOf(next)),
    close: () =>
      new Promise((resolve) => {
        // Reviews under way are answered; connections that wait for the next one are not kept.
        closing = true;
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}

const contextOf = ({ cert, key }: Certificate) => ({ cert, key, minVersion: "TLSv1.2" as const });

async function answer(
  judge: (request: AdmissionRequest) => Promise<Verdict>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (new URL(request.url ?? "/", "https://webhook").pathname !== admissionPath) {
    return plain(response, 404, `there is only ${admissionPath}`);
  }
  if (request.method !== "POST") return plain(response, 405, "only POST");
  const review = readReview(JSON.parse(await bodyOf(request)));
  const verdict = await judge(review);
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(reviewAnswer(review.uid, verdict)));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > longestBody) throw new Error(`a review longer than ${longestBody} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function plain(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" });
  response.end(`${text}\n`);
}
