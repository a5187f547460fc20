import type { Ticket } from "../../../scheduling/flow-control/flow-request.ts";
import type { RequestHeaders } from "../../../scheduling/request-headers.ts";
import type { InFlightRequest, TokenUsage } from "../../../scheduling/scheduler.ts";
import type { QueuedRequest } from "./queued-request.ts";

/** Who hears of a request's end. */
interface EndListener {
  mayLeave(request: QueuedRequest): boolean;
  ended(ticket: Ticket<QueuedRequest>, usage: TokenUsage | undefined): void;
}

/** A request on its way whose end makes room for others. */
export class TrackedFlight implements InFlightRequest {
  readonly #flight: InFlightRequest;
  readonly #ticket: Ticket<QueuedRequest>;
  readonly #listener: EndListener;

  constructor(flight: InFlightRequest, ticket: Ticket<QueuedRequest>, listener: EndListener) {
    this.#flight = flight;
    this.#ticket = ticket;
    this.#listener = listener;
  }

  get responseHeaders(): InFlightRequest["responseHeaders"] {
    return this.#flight.responseHeaders;
  }

  answered(headers: RequestHeaders, now: number): void {
    this.#flight.answered(headers, now);
  }

  firstToken(): void {
    this.#flight.firstToken();
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
