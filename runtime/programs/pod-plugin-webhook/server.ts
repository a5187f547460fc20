import {
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { BodyBudget } from "../../epp/request-path/body-budget.ts";
import { limits } from "../../limits.ts";
import { HeldBytes, type Holding } from "../../manager/held-bytes.ts";
import { ShareOfAddress } from "../../manager/share-of-address.ts";
import type { Certificate } from "../../manager/tls/certificate.ts";
import { type AdmissionRequest, readReview, reviewAnswer, type Verdict } from "./admission.ts";
import { cutOff, readReviewBody } from "./review-body.ts";

/** Path that the API server posts reviews to. */
export const admissionPath = "/mutate-pods";

export interface AdmissionServer {
  /** @returns the port */
  listen(port: number): Promise<number>;
  /** Uses the certificate for new connections. */
  use(certificate: Certificate): void;
  close(): Promise<void>;
}

export interface AdmissionServerOptions {
  readonly certificate: Certificate;
  /** CAs that must have signed the certificate of a client; undefined to serve every client. */
  readonly clientCa: Buffer | undefined;
  readonly judge: (request: AdmissionRequest) => Promise<Verdict>;
  /** Memory budget for incomplete bodies. */
  readonly budget: BodyBudget;
  /** Budget for open requests and for responses that are not read. Default: a new one. */
  readonly held?: HeldBytes;
  /** Timeout of a review, also for in-flight reviews when the server closes, in ms. Default `limits.reviewTime`. */
  readonly withinMs?: number;
  readonly onError: (error: unknown) => void;
}

/** Approximate memory of an open request, in bytes. */
const openRequest = 16 * 1024;

/**
 * Serves reviews of pods over TLS, concurrently on one connection (HTTP/2). If an API server needed a connection for
 * each in-flight review, pods would wait for handshakes after each restart of the webhook.
 */
export function admissionServer({
  certificate,
  clientCa,
  judge,
  budget,
  held = new HeldBytes(),
  withinMs = limits.reviewTime.value,
  onError,
}: AdmissionServerOptions): AdmissionServer {
  const isAsked = clientCa !== undefined;
  const contextOf = ({ cert, key }: Certificate) => ({
    ...{ cert, key, minVersion: "TLSv1.2" as const },
    ...(isAsked && { ca: clientCa }),
  });
  const server = createSecureServer(
    {
      ...contextOf(certificate),
      requestCert: isAsked,
      rejectUnauthorized: isAsked,
      allowHTTP1: true,
      settings: { maxConcurrentStreams: limits.reviewsOfConnection.value },
    },
    (request, response) => {
      // An idle HTTP/1 connection would prevent the server from closing.
      if (request.httpVersionMajor === 1) response.setHeader("connection", "close");
      const holding = held.enter(request.socket.remoteAddress ?? "", {
        evict: () => cutOff(request),
      });
      response.once("close", () => holding.leave());
      holding.hold(openRequest);
      const body = () => readReviewBody(request, budget, withinMs);
      answer(judge, body, request, response, holding).catch((error: unknown) => {
        onError(error);
        if (response.headersSent) response.stream?.close();
        else plain(response, 400, "not a review of a pod");
      });
    },
  );
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session) => {
    sessions.add(session);
    session.on("close", () => sessions.delete(session));
    // The client has disconnected, and sends its reviews again.
    session.on("error", () => {});
  });
  const sockets = new Set<Socket>();
  const { connectionsOfAddress, connections } = limits;
  const shares = new ShareOfAddress(connectionsOfAddress.value, connections.value);
  server.on("connection", shares.admit);
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  return {
    listen: (port) =>
      new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen(port, () => resolve((server.address() as AddressInfo).port));
      }),
    use: (next) => server.setSecureContext(contextOf(next)),
    close: () =>
      new Promise((resolve) => {
        // In-flight reviews get a response. The API server sends new reviews to another replica.
        server.close(() => resolve());
        for (const session of sessions) session.close();
        // A client that sends nothing, or is slower than a review may be, would prevent the server from closing.
        setTimeout(() => {
          for (const socket of sockets) socket.destroy();
        }, withinMs).unref();
      }),
  };
}

async function answer(
  judge: (request: AdmissionRequest) => Promise<Verdict>,
  body: () => Promise<Buffer>,
  request: Http2ServerRequest,
  response: Http2ServerResponse,
  holding: Holding,
): Promise<void> {
  if (new URL(request.url ?? "/", "https://webhook").pathname !== admissionPath) {
    return plain(response, 404, `the only path is ${admissionPath}`);
  }
  if (request.method !== "POST") return plain(response, 405, "only POST");
  const review = readReview(JSON.parse((await body()).toString()));
  const verdict = await judge(review);
  const text = JSON.stringify(reviewAnswer(review.uid, verdict));
  response.writeHead(200, { "content-type": "application/json" });
  response.end(text);
  holding.hold(openRequest + text.length);
}

function plain(response: Http2ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" });
  response.end(`${text}\n`);
}
