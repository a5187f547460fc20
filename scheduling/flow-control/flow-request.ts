/** A request for a slot at a model server. */
export interface FlowRequest {
  /** The flow of the request. Requests of one flow share one queue. */
  readonly flow: FlowKey;
  /** Bytes of the body, which count toward the limits of the queues. */
  readonly bytes: number;
  /** Estimated tokens of the prompt, which its flow uses when the request is dispatched. */
  readonly promptTokens: number;
  /** Time at which the picker received the request head, in ms. Deadlines of objectives count from then. */
  readonly receivedAt: number;
  /**
   * Time for which the client waits after arrival, in ms (`x-llm-d-request-ttl-ms`, `grpc-timeout`); undefined if the
   * client sets none. The configured time to live is the upper limit.
   */
  readonly ttl?: number | undefined;
  /** Time after `receivedAt` within which the client wants the first token, in ms (`x-llm-d-slo-ttft-ms`). */
  readonly firstTokenWithin?: number | undefined;
  /** Weight of the flow, if the fairness policy's configuration sets none. */
  readonly share?: number | undefined;
  /** Whether the request was held at its last turn, because its prompt would evict prefixes that will be used again. */
  readonly isHeldNow?: boolean;
  /** Called at the turn of the request, with the pool's saturation and the ceiling of its band. */
  turn?(saturation: number, ceiling: number): void;
}

/** Flow and priority of a request. */
export interface FlowKey {
  /** An LLMService (`namespace/name`), a fairness id from a header, or `default-flow`. Never empty. */
  readonly id: string;
  /** Higher priorities are dispatched first. Priorities below 0 are sheddable. */
  readonly priority: number;
}

/** Tokens of a request, as far as they are known at its end. */
export interface Usage {
  /** Undefined if the model server did not report it: the estimate then remains. */
  readonly promptTokens?: number | undefined;
  /**
   * Undefined if unknown: the estimate then remains, or a part of it if both are unknown and the request ended early.
   */
  readonly completionTokens?: number | undefined;
}

/** A request in flow control, from its arrival to the end of its response. */
export interface Ticket<Request extends FlowRequest = FlowRequest> {
  readonly request: Request;
  /** Time of arrival in the queue, in ms. */
  readonly arrivedAt: number;
  /** Number of the arrival, which orders requests that are otherwise equal. */
  readonly sequence: number;
  readonly state: TicketState;
}

/**
 * - `waiting`: queued.
 * - `dispatched`: has left the queue for a model server.
 * - `ended`: the response has ended, or the request was cancelled, refused or has expired.
 */
export type TicketState = "waiting" | "dispatched" | "ended";
