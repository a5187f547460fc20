import { expect, it } from "vitest";
import { healthStatus, statusOf } from "../../manager/health/health-service.ts";
import { pickerHealth } from "./picker-health.ts";

const { serving, notServing, serviceUnknown } = healthStatus;
const extProc = "envoy.service.ext_proc.v3.ExternalProcessor";
const ready = { alive: true, ready: true };
const waiting = { alive: true, ready: false };
const dead = { alive: false, ready: false };

it.each([false, true])("liveness differs from readiness, with leader election %s", (election) => {
  const of = (service: string, condition = ready) =>
    statusOf(pickerHealth(election), service, condition);
  for (const service of ["", "readiness", extProc])
    expect([of(service), of(service, waiting)]).toEqual([serving, notServing]);
  expect([of("liveness"), of("liveness", waiting)]).toEqual([serving, serving]);
  expect(of("liveness", dead)).toBe(notServing);
});

it("other names check readiness, and with leader election they are unknown", () => {
  const of = (election: boolean, service: string) =>
    statusOf(pickerHealth(election), service, waiting);
  expect(of(false, "inference-extension")).toBe(notServing);
  expect(of(true, "inference-extension")).toBe(serviceUnknown);
  expect(of(true, "toString")).toBe(serviceUnknown);
});
