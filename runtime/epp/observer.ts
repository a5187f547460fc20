import type { Endpoint } from "../../scheduling/endpoints/endpoint.ts";
import type { RequestError } from "../../scheduling/requests/request-error.ts";
import type { Usage } from "./payload/payload.ts";

/** Labels of a request in metrics. The observer bounds their number. Every request has an object of its own. */
export interface RequestLabels {
  /** `namespace/name` of the LLMService that registers the model; undefined if none does. */
  readonly service: string | undefined;
  readonly model: string;
  readonly targetModel: string;
  readonly fairnessId: string;
  readonly priority: number;
}

/** How a response ended. Durations are in seconds, from the request's first message. */
export interface ResponseSummary {
  readonly seconds: number;
  /** Time until the first bytes of the body; undefined without a body. */
  readonly firstTokenSeconds: number | undefined;
  readonly streaming: boolean;
  readonly bytes: number;
  /** Total work of the picker on a streamed response; for other responses, the time from the headers to the end. */
  readonly processingSeconds: number;
  readonly status: number;
  readonly usage: Usage | undefined;
  /** Endpoint that responded according to the proxy, or else the first endpoint picked. Undefined if none was. */
  readonly served: Endpoint | undefined;
}

/** The destination and the origin of a dispatched request. */
export interface SentRequest {
  readonly endpoint: Endpoint | undefined;
  /** Group of the client, from `clientGroup`. */
  readonly client: number;
}

/** Facts about a response that are known when it begins. */
export type BegunResponse = Pick<
  ResponseSummary,
  "served" | "status" | "streaming" | "firstTokenSeconds"
>;

/** Receives the events of the request path. They serve metrics only; no decision depends on them. */
export interface Observer {
  streamOpened(): void;
  /** `code`: gRPC status name, for example OK or CANCELLED. */
  streamClosed(seconds: number, code: string): void;
  /** A request was parsed and rewritten. */
  requestReceived(labels: RequestLabels): void;
  /** Filters, scorers and the pick took `seconds`; `endpoint` is the first endpoint picked, undefined if none was. */
  scheduled(seconds: number, targetModel: string, endpoint: Endpoint | undefined): void;
  /** Returns a function to call with the seconds between each two chunks of a streamed response. */
  chunksOf(labels: RequestLabels): (seconds: number) => void;
  rewritten(rewrite: string, model: string, targetModel: string): void;
  /** The picker worked on a request for `seconds`, without the wait for its body. */
  requestProcessed(seconds: number): void;
  /** A request is sent to a model server. `bytes` is the size of the body as the client sent it. */
  requestDispatched(labels: RequestLabels, bytes: number, sent: SentRequest): void;
  /** The first bytes of a response arrived, or its headers if it has no body. */
  responseBegan(labels: RequestLabels, response: BegunResponse): void;
  /** Called once per dispatched request. */
  requestCompleted(labels: RequestLabels, response: ResponseSummary | undefined): void;
  refused(labels: RequestLabels | undefined, error: RequestError): void;
}
