import { expect, it } from "vitest";
import { healthStatus } from "../../process/health-service.ts";
import { healthOf, type Readiness } from "./readiness.ts";

const ready: Readiness = { synced: true, leading: true, draining: false };
const { serving, notServing, serviceUnknown } = healthStatus;
const extProc = "envoy.service.ext_proc.v3.ExternalProcessor";

it.each(["", "liveness", "readiness", "inference-extension", extProc])(
  "without leader election %j serves when the picker is ready",
  (service) => {
    expect(healthOf(service, false, ready)).toBe(serving);
    expect(healthOf(service, false, { ...ready, synced: false })).toBe(notServing);
    expect(healthOf(service, false, { ...ready, draining: true })).toBe(notServing);
  },
);

it.each(["", "readiness", extProc])("with leader election %j serves on the leader", (service) => {
  expect(healthOf(service, true, ready)).toBe(serving);
  for (const change of [{ leading: false }, { synced: false }, { draining: true }])
    expect(healthOf(service, true, { ...ready, ...change })).toBe(notServing);
});

it("with leader election who stands by or drains is alive, and other names are unknown", () => {
  const standby = { synced: false, leading: false, draining: true };
  expect(healthOf("liveness", true, standby)).toBe(serving);
  expect(healthOf("inference-extension", true, ready)).toBe(serviceUnknown);
});
