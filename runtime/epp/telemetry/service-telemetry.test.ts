import { beforeEach, describe, expect, it } from "vitest";
import type { Endpoint } from "../../../scheduling/endpoints/endpoint.ts";
import { RequestError } from "../../../scheduling/requests/request-error.ts";
import { expose } from "../../manager/metrics/exposition.ts";
import { model, objects, pod, rewriteObject, service } from "../datastore/objects.fixture.ts";
import type { PoolObjects } from "../datastore/pool-objects.ts";
import { emptySnapshot, snapshotOf } from "../datastore/snapshot.ts";
import type { RequestLabels, ResponseSummary } from "../observer.ts";
import { newTelemetry, type Telemetry } from "./telemetry.ts";

const minute = 60_000;
const bots = service("bots", [
  model("bot", {
    critical: true,
    objectiveSeconds: 0.05,
    targets: [
      { model: "v1", weight: 1 },
      { model: "v2", weight: 1 },
    ],
  }),
  model("plain"),
]);

let now = 0;
let snapshot = emptySnapshot;
let telemetry: Telemetry;
const become = (change: Partial<PoolObjects>) => {
  snapshot = snapshotOf(
    objects({ pods: [pod("a"), pod("b")], services: [bots], ...change }),
    snapshot,
  );
};
beforeEach(() => {
  now = 10_000_000;
  snapshot = emptySnapshot;
  become({});
  telemetry = newTelemetry(
    {
      ...{ snapshot: () => snapshot, now: () => now, staleAfterMs: 2_000 },
      ...{
        objectiveWindowMs: 5 * minute,
        prefixIndexes: () => [],
        excludedPairs: () => [],
        ejected: () => [],
      },
      podHealth: () => [],
    },
    { commit: "", version: "" },
  );
});

/** Samples by `name{labels}` of the families whose names start with `prefix`. */
function scraped(prefix: string): Record<string, string> {
  const lines = telemetry.families.flatMap((family) => [...expose(family)].join("").split("\n"));
  return Object.fromEntries(
    lines
      .filter((line) => line.startsWith(prefix))
      .map((line) => [line.slice(0, line.lastIndexOf(" ")), line.slice(line.lastIndexOf(" ") + 1)]),
  );
}

const endpoint = (name: string) => snapshot.endpoints.find(({ pod }) => pod === name) as Endpoint;
const labels = (change: Partial<RequestLabels> = {}): RequestLabels => ({
  service: "default/bots",
  model: "bot",
  targetModel: "v1",
  fairnessId: "f",
  priority: 0,
  ...change,
});
const response = (change: Partial<ResponseSummary> = {}): ResponseSummary => ({
  seconds: 1,
  firstTokenSeconds: 0.1,
  streaming: false,
  bytes: 100,
  processingSeconds: 0.001,
  status: 200,
  usage: { inputTokens: 7, outputTokens: 20, cachedTokens: 0 },
  served: endpoint("a"),
  ...change,
});
const shown = 'pool="default/pool",llm_service="default/bots",model_name="bot"';

describe("requests of a service", () => {
  it("requests are counted by service, model and target", () => {
    const { observer } = telemetry;
    observer.requestReceived(labels());
    observer.requestCompleted(labels(), response());
    observer.requestReceived(labels({ targetModel: "v2" }));
    observer.requestCompleted(
      labels({ targetModel: "v2" }),
      response({ status: 500, usage: undefined }),
    );
    observer.requestReceived(labels());
    observer.refused(labels(), new RequestError("ResourceExhausted", "full"));
    expect(scraped("llm_service_")).toMatchObject({
      [`llm_service_requests_total{${shown},target_model_name="v1"}`]: "2",
      [`llm_service_requests_total{${shown},target_model_name="v2"}`]: "1",
      [`llm_service_request_errors_total{${shown},target_model_name="v2",error_code="ModelServerError"}`]:
        "1",
      [`llm_service_request_errors_total{${shown},target_model_name="v1",error_code="ResourceExhausted"}`]:
        "1",
      [`llm_service_request_duration_seconds_count{${shown},target_model_name="v1"}`]: "1",
      [`llm_service_request_duration_seconds_sum{${shown},target_model_name="v1"}`]: "1",
      [`llm_service_input_tokens_total{${shown},target_model_name="v1"}`]: "7",
      [`llm_service_output_tokens_total{${shown},target_model_name="v1"}`]: "20",
    });
  });

  it("requests for unregistered models are not counted", () => {
    telemetry.observer.requestReceived(labels({ service: undefined }));
    telemetry.observer.requestCompleted(labels({ service: undefined }), response());
    expect(Object.keys(scraped("llm_service_requests_total"))).toEqual([]);
  });

  it("requests have at most 5,000 sets of labels", () => {
    for (let n = 0; n < 5_100; n += 1)
      telemetry.observer.requestReceived(labels({ targetModel: `t${n}` }));
    expect(Object.keys(scraped("llm_service_requests_total"))).toHaveLength(5_001);
    expect(scraped("llm_service_requests_total")).toMatchObject({
      'llm_service_requests_total{pool="other",llm_service="other",model_name="other",target_model_name="other"}':
        "100",
    });
  });
});

describe("objectives", () => {
  const told = () => scraped("llm_service_latency_per_output_token_");
  const p95 = () =>
    Number(told()[`llm_service_latency_per_output_token_p95_seconds{${shown}}`] ?? Number.NaN);
  const requests = () => told()[`llm_service_latency_per_output_token_requests{${shown}}`];

  it("the P95 is shown next to its objective, over all targets, for registered models only", () => {
    expect(told()).toEqual({
      [`llm_service_latency_per_output_token_objective_seconds{${shown}}`]: "0.05",
      [`llm_service_latency_per_output_token_requests{${shown}}`]: "0",
      'llm_service_latency_per_output_token_requests{pool="default/pool",llm_service="default/bots",model_name="plain"}':
        "0",
    });
    for (let n = 1; n <= 100; n += 1)
      telemetry.observer.requestCompleted(
        labels({ targetModel: n % 2 === 0 ? "v1" : "v2" }),
        response({ seconds: n / 50 }),
      );
    expect(p95()).toBeGreaterThan(0.095 * 0.98);
    expect(p95()).toBeLessThan(0.095 * 1.02);
    expect(requests()).toBe("100");
  });

  it("only successful responses with tokens are measured", () => {
    telemetry.observer.requestCompleted(labels(), response({ status: 500 }));
    telemetry.observer.requestCompleted(labels(), response({ usage: undefined }));
    telemetry.observer.requestCompleted(
      labels(),
      response({ usage: { inputTokens: 1, outputTokens: 0, cachedTokens: 0 } }),
    );
    telemetry.observer.requestCompleted(labels(), undefined);
    telemetry.observer.requestCompleted(labels({ service: undefined }), response());
    expect(requests()).toBe("0");
  });

  it("streams also report time to first token and time between tokens", () => {
    const told = () => scraped("llm_service_time_");
    telemetry.observer.requestCompleted(
      labels(),
      response({
        streaming: true,
        firstTokenSeconds: 0.5,
        seconds: 2,
        usage: { inputTokens: undefined, outputTokens: 16, cachedTokens: undefined },
      }),
    );
    telemetry.observer.requestCompleted(labels(), response({ firstTokenSeconds: 9 }));
    const p95 = (name: string) => Number(told()[`llm_service_time_${name}_p95_seconds{${shown}}`]);
    expect(p95("to_first_token") / 0.5).toBeCloseTo(1, 1);
    expect(p95("per_output_token") / 0.1).toBeCloseTo(1, 1);
    expect(requests()).toBe("2");
    expect(scraped("llm_service_output_tokens_total")).toEqual({
      [`llm_service_output_tokens_total{${shown},target_model_name="v1"}`]: "36",
    });
  });

  it("the P95 covers the window only", () => {
    telemetry.observer.requestCompleted(labels(), response({ seconds: 100 }));
    now += 4 * minute;
    telemetry.observer.requestCompleted(labels(), response({ seconds: 1 }));
    expect(p95()).toBeGreaterThan(4);
    now += 1.1 * minute;
    expect(p95()).toBeLessThan(0.06);
    now += 5 * minute;
    expect([p95(), requests()]).toEqual([Number.NaN, "0"]);
  });

  it("latencies are dropped when another service registers the model", () => {
    telemetry.observer.requestCompleted(labels(), response());
    become({ services: [service("others", [model("bot")])] });
    expect(told()).toEqual({
      'llm_service_latency_per_output_token_requests{pool="default/pool",llm_service="default/others",model_name="bot"}':
        "0",
    });
  });
});

describe("targets that a pod does not serve", () => {
  const one = (name: string, pod: string, change = shown) =>
    `llm_d_epp_model_target_${name}{${change},target_model_name="v1",namespace="default",pod="${pod}"}`;
  const land = (status: number, pod = "a", change: Partial<RequestLabels> = {}) =>
    telemetry.observer.requestCompleted(
      labels(change),
      response({ status, served: endpoint(pod), usage: undefined }),
    );

  it("a 404 is counted by model, target and pod", () => {
    expect(scraped("llm_d_epp_model_target_")).toEqual({});
    land(404);
    land(404);
    land(404, "b");
    expect(scraped("llm_d_epp_model_target_")).toEqual({
      [one("not_found_total", "a")]: "2",
      [one("not_found_total", "b")]: "1",
      [one("missing", "a")]: "1",
      [one("missing", "b")]: "1",
    });
  });

  it("a target is missing until the pod serves it", () => {
    land(404);
    land(200, "b");
    land(500);
    land(200, "a", { targetModel: "v2" });
    expect(scraped("llm_d_epp_model_target_missing")).toEqual({ [one("missing", "a")]: "1" });
    land(200);
    expect(scraped("llm_d_epp_model_target_")).toEqual({
      [one("not_found_total", "a")]: "1",
      [one("missing", "a")]: "0",
    });
    land(404);
    expect(scraped("llm_d_epp_model_target_missing")).toEqual({ [one("missing", "a")]: "1" });
  });

  it("a target is dropped when its pod is deleted or replaced by one of the same name", () => {
    land(404);
    land(404, "b");
    become({ pods: [pod("b", { uid: "new" })] });
    expect(scraped("llm_d_epp_model_target_")).toEqual({});
  });

  it("a target is dropped when no service or rewrite has it", () => {
    land(404);
    become({ services: [] });
    expect(scraped("llm_d_epp_model_target_")).toEqual({});
  });

  it("targets of rewrites are counted, and names that clients made up are not", () => {
    const rule = { models: undefined, targets: [{ model: "base", weight: undefined }] };
    become({ services: [], rewrites: [rewriteObject("r", [rule])] });
    land(404, "a", { service: undefined, model: "any", targetModel: "base" });
    land(404, "a", { service: undefined, model: "made-up", targetModel: "made-up" });
    expect(Object.keys(scraped("llm_d_epp_model_target_missing"))).toEqual([
      'llm_d_epp_model_target_missing{pool="default/pool",llm_service="",model_name="any",target_model_name="base",namespace="default",pod="a"}',
    ]);
  });
});
