import { beforeAll, describe, expect, it } from "vitest";
import { findPrograms } from "../../testing/processes/binaries.ts";
import { seeded } from "../../testing/samples/seeded.ts";
import { plannedGroups } from "./planned-objectives.ts";
import { checkRules, firedAlerts } from "./promtool.ts";
import { quietDay, record } from "./recorded-series.ts";
import { healthy, type PoolState } from "./simulated-picker.ts";

/** Planned rules, evaluated by the real promtool over series that the picker's telemetry wrote. */

const groups = plannedGroups();

// A new machine builds promtool first.
beforeAll(() => findPrograms(["promtool"]), 900_000);

/** Minutes before the fault: the longest window of a budget alert that pages, or of an alert on a cause. */
const minutesBefore = (alert: string) => (alert.endsWith("BudgetBurn") ? 360 : 30);

/** A fault, the alert that reports it, and the minutes within which it fires. */
interface Fault {
  readonly title: string;
  readonly state: Partial<PoolState>;
  readonly alert: string;
  readonly severity: "page" | "ticket";
  readonly within: number;
}

const faults: readonly Fault[] = [
  {
    title: "5 % of responses are errors of engines",
    state: { errors: 0.05 },
    ...{ alert: "InferenceAvailabilityBudgetBurn", severity: "page", within: 22 },
  },
  {
    title: "30 % of first tokens are slow",
    state: { slowFirstTokens: 0.3 },
    ...{ alert: "InferenceFirstTokenBudgetBurn", severity: "page", within: 34 },
  },
  {
    title: "30 % of responses have slow output",
    state: { slowOutputs: 0.3 },
    ...{ alert: "InferencePerOutputTokenBudgetBurn", severity: "page", within: 34 },
  },
  {
    title: "all engines are gone",
    state: { engines: 0, saturation: 1, desired: 1 },
    ...{ alert: "InferenceNoReadyEndpoint", severity: "page", within: 3.5 },
  },
  {
    title: "the pool is saturated",
    state: { saturation: 1.1 },
    ...{ alert: "InferencePoolSaturated", severity: "ticket", within: 11.5 },
  },
  {
    title: "requests wait 8 s in the queue",
    state: { queued: 8 },
    ...{ alert: "InferenceRequestsQueuedLong", severity: "ticket", within: 14 },
  },
  {
    title: "the KV caches are full",
    state: { kvCache: 0.99 },
    ...{ alert: "InferenceKvCacheFull", severity: "ticket", within: 11.5 },
  },
  {
    title: "all responses of one engine fail",
    state: { failingEngines: [2] },
    ...{ alert: "InferenceEndpointEjected", severity: "ticket", within: 6.5 },
  },
  {
    title: "all responses of one engine fail, and a request arrives every two seconds",
    state: { failingEngines: [2], rate: 0.5 },
    ...{ alert: "InferenceEndpointEjected", severity: "ticket", within: 6.5 },
  },
  {
    title: "a prefiller-decoder pair fails",
    state: { hasFailingPair: true },
    ...{ alert: "InferencePairsExcluded", severity: "ticket", within: 6.5 },
  },
  {
    title: "the picker is gone",
    state: { isUp: false },
    ...{ alert: "InferencePickerAbsent", severity: "page", within: 6.5 },
  },
  {
    title: "the metrics of an engine are unreadable",
    state: { pollErrors: 5 },
    ...{ alert: "InferenceEngineMetricsUnread", severity: "ticket", within: 11.5 },
  },
  {
    title: "the autoscaler is at its maximum",
    state: { desired: 6 },
    ...{ alert: "InferenceReplicasBelowDemand", severity: "ticket", within: 16.5 },
  },
];

const everyHalfMinute = (from: number, to: number) =>
  Array.from({ length: 2 * (to - from) }, (_, at) => from + (at + 1) / 2);

it("promtool accepts the planned rules", async () => {
  expect(await checkRules(groups)).toContain("SUCCESS");
});

describe("alerts", () => {
  it.each(faults)(
    "$alert fires within $within minutes after $title",
    async ({ state, alert, severity, within, title }) => {
      const before = minutesBefore(alert);
      const minutes = before + Math.ceil(within);
      const series = record(minutes + 1, seeded(1), (minute) =>
        minute < before ? healthy : { ...healthy, ...state },
      );
      const fired = await firedAlerts(groups, series, everyHalfMinute(before - 1, minutes));
      const own = fired.find((each) => each.alert === alert && each.severity === severity);
      const after = (own?.minute ?? Number.NaN) - before;
      console.info(`${title}: ${alert} after ${after} min; all: ${JSON.stringify(fired)}`);
      expect(after, JSON.stringify(fired)).toBeGreaterThan(0);
      expect(after).toBeLessThanOrEqual(within);
      // No alert on another cause fires.
      const causes = fired.filter((each) => !each.alert.endsWith("BudgetBurn"));
      expect(causes.filter((each) => each.alert !== alert)).toEqual([]);
    },
    300_000,
  );

  it("no alert fires in 24 quiet hours with short faults", async () => {
    const series = record(1_440, seeded(2), quietDay);
    const minutes = Array.from({ length: 718 }, (_, at) => 2 * (at + 1));
    expect(await firedAlerts(groups, series, minutes)).toEqual([]);
  }, 600_000);
});
