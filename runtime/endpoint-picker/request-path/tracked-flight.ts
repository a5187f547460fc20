import type { Endpoint } from "../../../scheduling/endpoint.ts";
import type { Ticket } from "../../../scheduling/flow-control/flow-request.ts";
import type { RequestHeaders } from "../../../scheduling/request-headers.ts";
import type { InFlightRequest, TokenUsage } from "../../../scheduling/scheduler.ts";
import type { RoutedRequest } from "./pending-request.ts";
import type { QueuedRequest } from "./queued-request.ts";

/** Statuses from here on are of servers that could not answer, and of proxies that found none. */
const serverError = 500;

/** Who hears of a request's answer and end. */
interface FlightListener {
  answered(endpoint: Endpoint, answer: { readonly failed: boolean }): void;
  mayLeave(request: QueuedRequest): boolean;
  ended(ticket: Ticket<QueuedRequest>, usage: TokenUsage | undefined): void;
}

/** A request on its way whose end makes room for others, and whose answer tells whether its server works. */
export class TrackedFlight implements InFlightRequest {
  readonly #flight: InFlightRequest;
  readonly #ticket: Ticket<QueuedRequest>;
  readonly #endpoint: Endpoint | undefined;
  readonly #listener: FlightListener;

  constructor(
    { inFlight, endpoints: [endpoint] }: Pick<RoutedRequest, "inFlight" | "endpoints">,
    ticket: Ticket<QueuedRequest>,
    listener: FlightListener,
  ) {
    this.#flight = inFlight;
    this.#ticket = ticket;
    this.#endpoint = endpoint;
    this.#listener = listener;
  }

  get responseHeaders(): InFlightRequest["responseHeaders"] {
    return this.#flight.responseHeaders;
  }

  answered(headers: RequestHeaders, now: number): void {
    this.#flight.answered(headers, now);
    if (this.#endpoint === undefined) return;
    const status = Number(headers.get(":status") ?? 0);
    this.#listener.answered(this.#endpoint, { failed: status >= serverError });
  }

  firstToken(now: number): void {
    this.#flight.firstToken(now);
  }

  end(usage?: TokenUsage): void {
    this.#flight.end(usage);
    this.#listener.ended(this.#ticket, usage);
  }

  unwatch(now: number, completed: () => void): boolean {
    if (!this.#listener.mayLeave(this.#ticket.request)) return false;
    return this.#flight.unwatch(now, () => {
      completed();
      this.#listener.ended(this.#ticket, undefined);
    });
  }
}
