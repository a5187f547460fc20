import { expect, it, vi } from "vitest";
import type { Ticket } from "../../../scheduling/flow-control/flow-request.ts";
import type { InFlightRequest } from "../../../scheduling/requests/request.ts";
import type { QueuedRequest } from "./queued-request.ts";
import { TrackedFlight } from "./tracked-flight.ts";

it.each([
  ["drops the waiter of a request whose response is not observed", true, 1],
  ["keeps the waiter of a request whose response is observed", false, 0],
])("%s", (_, isUnobserved, calls) => {
  const left = vi.fn();
  const inFlight = { unobserve: () => isUnobserved } as unknown as InFlightRequest;
  const ticket = { request: { left } } as unknown as Ticket<QueuedRequest>;
  const flight = new TrackedFlight({ inFlight }, ticket, { mayLeave: () => true, ended: () => {} });
  expect(flight.unobserve(0, () => {})).toBe(isUnobserved);
  expect(left).toHaveBeenCalledTimes(calls);
});
