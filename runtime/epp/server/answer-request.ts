import {
  bodyResponse,
  type HeadersAnswer,
  headersResponse,
  streamedBodies,
} from "../protocol/processing-response.ts";
import type { BodyMode } from "./body-mode.ts";
import type { Send } from "./exchange.ts";

/** What is said to a request whose body came in full. */
export interface RequestAnswer extends HeadersAnswer {
  /** The whole body; undefined where nobody saw one. */
  readonly body: Buffer | undefined;
  /** `body` differs from what the client sent. */
  readonly bodyChanged: boolean;
}

/** How the body came. */
export interface ReceivedBody {
  readonly mode: BodyMode;
  /** Its last message ended the stream of the request. */
  readonly endOfStream: boolean;
  /** Messages of it that wait for an answer, where each wants one. */
  readonly inFlight: number;
}

const noBody = Buffer.alloc(0);

/** Responds to headers and body as the proxy's mode wants it. The route is chosen anew, by the headers that are set. */
export function answerRequest(send: Send, answer: RequestAnswer, received: ReceivedBody): void {
  const { body, bodyChanged } = answer;
  if (received.mode === "whole") {
    // The whole body is one message, whose answer carries everything.
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

/** A new body goes with the first chunk's answer; the other chunks are dropped. */
function answerChunks(send: Send, { body, bodyChanged }: RequestAnswer, count: number): void {
  for (let at = 0; at < count; at += 1) {
    const replacement = at === 0 ? body : noBody;
    send(bodyResponse("requestBody", bodyChanged ? { body: replacement } : {}));
  }
}
