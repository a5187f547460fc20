/** A request that asks for a place at a model server. */
export interface FlowRequest {
  /** The flow that it belongs to: requests of one flow wait in one queue. */
  readonly flow: FlowKey;
  /** Bytes of its body: what it takes of the queues' limits. */
  readonly bytes: number;
  /** Estimated tokens of its prompt: what it costs its flow when it leaves the queue. */
  readonly promptTokens: number;
  /** When the picker received its head, in milliseconds: deadlines of objectives count from there. */
  readonly receivedAt: number;
  /**
   * Milliseconds after its arrival for which its client waits (`x-llm-d-request-ttl-ms`, `grpc-timeout`); undefined where
   * the client does not say. It never waits longer than the configuration allows.
   */
  readonly ttl?: number | undefined;
  /** Milliseconds after `receivedAt` within which the first token is wanted (`x-llm-d-slo-ttft-ms`). */
  readonly firstTokenWithin?: number | undefined;
  /** Weight of its flow, where the fairness policy's configuration names none. */
  readonly share?: number | undefined;
  /** Hears that it is its turn, where it wants to: the pool is that full, and its band open up to the ceiling. */
  turn?(saturation: number, ceiling: number): void;
}

/** Who waits, and how important it is. */
export interface FlowKey {
  /** An LLMService (`namespace/name`), a fairness id of a header, or `default-flow`. Never empty. */
  readonly id: string;
  /** Higher goes first; below 0 is sheddable. */
  readonly priority: number;
}

/** What a response cost, as far as it is known when it has ended. */
export interface Usage {
  /** Undefined where the model server did not say: the estimate stands. */
  readonly promptTokens?: number | undefined;
  /** Undefined where nothing is known: the estimate stands, or a part of it where the request ended soon and both are unknown. */
  readonly completionTokens?: number | undefined;
}

/** A request in flow control, from its arrival to the end of its response. */
export interface Ticket<Request extends FlowRequest = FlowRequest> {
  readonly request: Request;
  /** When it came to the queue, in milliseconds. */
  readonly arrivedAt: number;
  /** Arrivals are numbered: the order of requests that are equal otherwise. */
  readonly sequence: number;
  readonly state: TicketState;
}

/**
 * - `waiting`: in the queue.
 * - `dispatched`: has left it for a model server.
 * - `ended`: the response has ended, or the request was cancelled, refused or has expired.
 */
export type TicketState = "waiting" | "dispatched" | "ended";
