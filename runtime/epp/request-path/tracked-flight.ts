import type { Ticket } from "../../../scheduling/flow-control/flow-request.ts";
import type { InFlightRequest, TokenUsage } from "../../../scheduling/requests/request.ts";
import type { RequestHeaders } from "../../../scheduling/requests/request-headers.ts";
import type { RoutedRequest } from "./pending-request.ts";
import type { QueuedRequest } from "./queued-request.ts";

/** Is notified when a request ends. */
interface FlightListener {
  mayLeave(request: QueuedRequest): boolean;
  ended(ticket: Ticket<QueuedRequest>, usage: TokenUsage | undefined): void;
}

/** A dispatched request whose end frees a slot. */
export class TrackedFlight implements InFlightRequest {
  readonly #flight: InFlightRequest;
  readonly #ticket: Ticket<QueuedRequest>;
  readonly #listener: FlightListener;

  constructor(
    { inFlight }: Pick<RoutedRequest, "inFlight">,
    ticket: Ticket<QueuedRequest>,
    listener: FlightListener,
  ) {
    this.#flight = inFlight;
    this.#ticket = ticket;
    this.#listener = listener;
  }

  get responseHeaders(): InFlightRequest["responseHeaders"] {
    return this.#flight.responseHeaders;
  }

  answered(headers: RequestHeaders, now: number): void {
    this.#flight.answered(headers, now);
  }

  firstToken(now: number, isWrong?: boolean): void {
    this.#flight.firstToken(now, isWrong);
  }

  end(now: number, usage?: TokenUsage, isEmpty?: boolean): void {
    this.#flight.end(now, usage, isEmpty);
    this.#listener.ended(this.#ticket, usage);
  }

  unobserve(now: number, completed: () => void): boolean {
    if (!this.#listener.mayLeave(this.#ticket.request)) return false;
    const isLeft = this.#flight.unobserve(now, () => {
      completed();
      this.#listener.ended(this.#ticket, undefined);
    });
    if (isLeft) this.#ticket.request.left();
    return isLeft;
  }
}
