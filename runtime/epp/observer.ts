import type { Endpoint } from "../../scheduling/endpoint.ts";
import type { RequestError } from "../../scheduling/request-error.ts";
import type { Usage } from "./payload/payload.ts";

/** Labels of a request in metrics; bounded in number by the observer. */
export interface RequestLabels {
  /** `namespace/name` of the LLMService that registers the model; undefined where none does. */
  readonly service: string | undefined;
  readonly model: string;
  readonly targetModel: string;
  readonly fairnessId: string;
  readonly priority: number;
}

/** How a response ended. Durations in seconds, from the request's first message. */
export interface ResponseSummary {
  readonly seconds: number;
  /** Until the first body bytes; undefined where none came. */
  readonly firstTokenSeconds: number | undefined;
  readonly streaming: boolean;
  readonly bytes: number;
  /** The picker's own work on a streamed response, summed; for any other response, the time from its headers to its end. */
  readonly processingSeconds: number;
  readonly status: number;
  readonly usage: Usage | undefined;
  /** Who answered, as the proxy says; else the first that was picked. Undefined where nobody was. */
  readonly served: Endpoint | undefined;
}

/** What the request path tells about itself: metrics are made of it, decisions are not. */
export interface Observer {
  streamOpened(): void;
  /** `code`: gRPC status name, for example OK or CANCELLED. */
  streamClosed(seconds: number, code: string): void;
  /** A request was parsed and rewritten. */
  requestReceived(labels: RequestLabels): void;
  /** Filter, score and pick took so long; `endpoint` is the first that was picked, undefined where none was. */
  scheduled(seconds: number, targetModel: string, endpoint: Endpoint | undefined): void;
  /** Returns what is called with the seconds between every two chunks of a streamed answer. */
  chunksOf(labels: RequestLabels): (seconds: number) => void;
  rewritten(rewrite: string, model: string, targetModel: string): void;
  /** The picker's own work on a request took so long, waiting for its body excluded. */
  requestProcessed(seconds: number): void;
  /** A request goes to a model server, with a body of so many bytes as the client sent it. */
  requestDispatched(labels: RequestLabels, bytes: number): void;
  /** Called once for each request that was dispatched. */
  requestCompleted(labels: RequestLabels, response: ResponseSummary | undefined): void;
  refused(labels: RequestLabels | undefined, error: RequestError): void;
}
