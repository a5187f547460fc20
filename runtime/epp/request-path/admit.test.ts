import { expect, it } from "vitest";
import { RequestError } from "../../../scheduling/requests/request-error.ts";
import { nobodyWaits, shedSheddable } from "./admit.ts";
import type { PendingRequest, RoutedRequest } from "./pending-request.ts";

const routed = { endpoints: [] } as unknown as RoutedRequest;
const admit = (priority: number, saturation: () => number) => {
  const pending = { request: { priority }, saturation, dispatch: () => routed };
  return shedSheddable.admit(pending as unknown as PendingRequest, nobodyWaits);
};
const shed = new RequestError("ResourceExhausted", "system saturated, sheddable request dropped", {
  reason: "rejected-saturated",
});

it.each([
  [-1, 1],
  [-7, 3],
])("refuses priority %i at saturation %d", (priority, saturation) => {
  expect(() => admit(priority, () => saturation)).toThrow(shed);
});

it.each([
  [-1, 0.99],
  [0, 1],
  [5, 100],
])("admits priority %i at saturation %d", (priority, saturation) => {
  expect(admit(priority, () => saturation)).toBe(routed);
});

it("does not compute the saturation for priority 0", () => {
  expect(
    admit(0, () => {
      throw new Error("asked");
    }),
  ).toBe(routed);
});
