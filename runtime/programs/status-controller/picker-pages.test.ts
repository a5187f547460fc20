import { beforeEach, expect, it } from "vitest";
import type { PodHealth } from "../../../scheduling/pairs/pair-health.ts";
import type { ServiceReport } from "../../../sdk/status/picker-report.ts";
import { model, objects, pod, service } from "../../epp/datastore/objects.fixture.ts";
import { emptySnapshot, snapshotOf } from "../../epp/datastore/snapshot.ts";
import type { ResponseSummary } from "../../epp/observer.ts";
import { newTelemetry, type Telemetry } from "../../epp/telemetry/telemetry.ts";
import { expose } from "../../manager/metrics/exposition.ts";
import { readFailingPods, readingOf, readPickerPages } from "./picker-pages.ts";

/** These tests read pages that the telemetry of a picker writes. */

const snapshot = snapshotOf(
  objects({
    pods: [pod("a"), pod("b", { ip: "10.0.0.2" })],
    services: [
      service("chat", [
        model("chat", {
          critical: true,
          objectiveSeconds: 0.05,
          firstTokenSeconds: 0.4,
          targets: [{ model: "chat-v2", weight: undefined }],
        }),
      ]),
      service("other", [model("other")]),
    ],
  }),
  emptySnapshot,
);
const [a, b] = snapshot.endpoints;

const picker = (pods: readonly PodHealth[] = []): Telemetry =>
  newTelemetry(
    {
      snapshot: () => snapshot,
      now: () => 0,
      staleAfterMs: 2_000,
      objectiveWindowMs: 300_000,
      prefixIndexes: () => [],
      excludedPairs: () => [],
      ejected: () => [],
      podHealth: () => pods,
    },
    { commit: "", version: "" },
  );
const page = ({ families }: Telemetry) =>
  Buffer.from(families.flatMap((family) => [...expose(family)]).join(""));

let pickers: Telemetry[];
beforeEach(() => {
  pickers = [picker(), picker()];
});

function request(telemetry: Telemetry | undefined, change: Partial<ResponseSummary> = {}): void {
  const labels = {
    service: "default/chat",
    model: "chat",
    targetModel: "chat-v2",
    fairnessId: "f",
    priority: 0,
  };
  telemetry?.observer.requestReceived(labels);
  telemetry?.observer.requestDispatched(labels, 1, { endpoint: undefined, client: 0 });
  telemetry?.observer.requestCompleted(labels, {
    seconds: 1,
    firstTokenSeconds: undefined,
    streaming: false,
    bytes: 1,
    processingSeconds: 0.001,
    status: 200,
    usage: { inputTokens: 1, outputTokens: 100, cachedTokens: 0 },
    served: a,
    ...change,
  });
}

const read = (): ReadonlyMap<string, ServiceReport> =>
  readPickerPages("default/pool", pickers.map(page));

it("adds the requests of all pickers, and reports the slowest P95", () => {
  request(pickers[0]);
  request(pickers[1], { seconds: 9 });
  request(pickers[1], { seconds: 9 });
  const report = read().get("default/chat");
  expect(report).toMatchObject({ requests: 3, missingTargets: [] });
  expect(report?.objectives).toMatchObject([{ objective: 0.05 }, { objective: 0.4 }]);
  expect(report?.objectives[0]?.p95).toBeCloseTo(0.09, 2);
  expect(report?.objectives[1]?.p95).toBeUndefined();
});

it("reports the slowest P95 of the time to the first token of streams", () => {
  request(pickers[0], { streaming: true, firstTokenSeconds: 0.3 });
  request(pickers[1], { streaming: true, firstTokenSeconds: 0.2 });
  expect(read().get("default/chat")?.objectives[1]?.p95).toBeCloseTo(0.3, 2);
});

it("reports no P95 without requests, and no objective for a model without an objective", () => {
  expect(read().get("default/chat")?.objectives).toEqual([
    { model: "chat", measure: "per output token", objective: 0.05, p95: undefined },
    { model: "chat", measure: "to the first token", objective: 0.4, p95: undefined },
  ]);
  expect(read().get("default/other")).toBeUndefined();
});

it("reports a missing target until the pod serves it", () => {
  request(pickers[0], { status: 404 });
  request(pickers[1], { status: 404, served: b });
  request(pickers[1]);
  expect(read().get("default/chat")?.missingTargets).toEqual([
    { model: "chat", target: "chat-v2", pod: "default/a" },
    { model: "chat", target: "chat-v2", pod: "default/b" },
  ]);
  request(pickers[0]);
  request(pickers[1], { served: b });
  expect(read().get("default/chat")?.missingTargets).toEqual([]);
});

it("ignores other pools and invalid pages", () => {
  request(pickers[0]);
  expect(readPickerPages("default/elsewhere", pickers.map(page)).size).toBe(0);
  expect(readPickerPages("default/pool", [Buffer.from("<html>")]).size).toBe(0);
});

it("reports a pod as failing only if it works for no picker", () => {
  const pageOf = (pods: Readonly<Record<string, number>>) =>
    page(
      picker(
        Object.entries(pods).map(([pod, failingSeconds]) => ({
          ...{ namespace: "default", pod, failingSeconds },
        })),
      ),
    );
  const pages = [pageOf({ a: 70, b: 90, c: 0 }), pageOf({ a: 120, b: 0 }), pageOf({})];
  const expected = new Map([
    ["default/a", 120],
    ["default/b", 0],
    ["default/c", 0],
  ]);
  expect(readFailingPods(pages)).toEqual(expected);
  expect(readFailingPods(pages.reverse())).toEqual(expected);
});

it("reports 0 requests for a service without series, and the problem if there is no page", () => {
  const failing = { seconds: new Map(), readAt: 0 };
  expect(readingOf({ reports: new Map(), failing }, "default/x").report).toMatchObject({
    requests: 0,
  });
  expect(readingOf({ problem: "gone" }, "default/x")).toEqual({ problem: "gone" });
});
