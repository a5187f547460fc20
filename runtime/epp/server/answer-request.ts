import {
  bodyResponse,
  type HeadersAnswer,
  headersResponse,
  streamedBodies,
} from "../protocol/processing-response.ts";
import type { BodyMode } from "./body-mode.ts";
import type { Send } from "./exchange.ts";

/** Answer to a request whose whole body was received. */
export interface RequestAnswer extends HeadersAnswer {
  /** The whole body; undefined if the proxy sent none. */
  readonly body: Buffer | undefined;
  /** Whether `body` differs from the body that the client sent. */
  readonly bodyChanged: boolean;
}

/** How the body was received. */
export interface ReceivedBody {
  readonly mode: BodyMode;
  /** Whether the last body message ended the request; false if trailers follow. */
  readonly endOfStream: boolean;
  /** Body messages not answered yet, for modes that need one answer per message. */
  readonly inFlight: number;
}

const noBody = Buffer.alloc(0);

/** Sends the answers for the proxy's mode. They clear the route cache: the route may depend on the new headers. */
export function answerRequest(send: Send, answer: RequestAnswer, received: ReceivedBody): void {
  const { body, bodyChanged } = answer;
  if (received.mode === "whole") {
    // The whole body is one message; its answer carries headers and body.
    const changed = bodyChanged ? body : undefined;
    send(bodyResponse("requestBody", { ...answer, body: changed, clearRouteCache: true }));
    return;
  }
  // Headers first, then the body, as the proxy will forward them.
  answerHeaders(send, answer);
  if (received.mode === "duplex") sendDuplex(send, body ?? noBody, received.endOfStream);
  else answerChunks(send, answer, received.inFlight);
}

export const answerHeaders = (send: Send, answer: HeadersAnswer): void =>
  send(headersResponse("requestHeaders", { ...answer, clearRouteCache: true }));

function sendDuplex(send: Send, body: Buffer, endOfStream: boolean): void {
  if (body.length === 0 && !endOfStream) return;
  for (const answer of streamedBodies("requestBody", body, endOfStream)) send(answer);
}

/** The answer to the first chunk carries a changed body; the answers to the other chunks drop them. */
function answerChunks(send: Send, { body, bodyChanged }: RequestAnswer, count: number): void {
  for (let at = 0; at < count; at += 1) {
    const replacement = at === 0 ? body : noBody;
    send(bodyResponse("requestBody", bodyChanged ? { body: replacement } : {}));
  }
}
