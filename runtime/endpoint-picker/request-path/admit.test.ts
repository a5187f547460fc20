import { expect, it } from "vitest";
import { RequestError } from "../../../scheduling/request-error.ts";
import { shedSheddable } from "./admit.ts";

const applicant = (priority: number) => ({
  priority,
  fairnessId: "f",
  model: "m",
  service: undefined,
});
const shed = new RequestError("ResourceExhausted", "system saturated, sheddable request dropped", {
  reason: "rejected-saturated",
});

it.each([
  [-1, 1],
  [-7, 3],
])("sheds priority %i at saturation %d", (priority, saturation) => {
  expect(() => shedSheddable.admit(applicant(priority), () => saturation)).toThrow(shed);
});

it.each([
  [-1, 0.99],
  [0, 1],
  [5, 100],
])("lets in priority %i at saturation %d", (priority, saturation) => {
  shedSheddable.admit(applicant(priority), () => saturation);
});

it("does not ask how full the pool is where that does not matter", () => {
  shedSheddable.admit(applicant(0), () => {
    throw new Error("asked");
  });
});
