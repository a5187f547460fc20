import { beforeEach, describe, expect, it } from "vitest";
import { metrics } from "../../../scheduling/cycles.fixture.ts";
import type { Endpoint, ModelServerMetrics } from "../../../scheduling/endpoints/endpoint.ts";
import { RequestError } from "../../../scheduling/requests/request-error.ts";
import { responsesPage } from "../../../sdk/rollout/endpoint-responses.ts";
import { expose } from "../../manager/metrics/exposition.ts";
import { objects, pod, pool, rewriteObject } from "../datastore/objects.fixture.ts";
import { emptySnapshot, snapshotOf } from "../datastore/snapshot.ts";
import type { ResponseSummary } from "../observer.ts";
import { newTelemetry, type Telemetry } from "./telemetry.ts";

let now = 0;
let snapshot = emptySnapshot;
let telemetry: Telemetry;
beforeEach(() => {
  now = 10_000;
  snapshot = emptySnapshot;
  telemetry = newTelemetry(
    {
      ...{
        snapshot: () => snapshot,
        now: () => now,
        staleAfterMs: 2_000,
        objectiveWindowMs: 300_000,
      },
      prefixIndexes: () => [],
      excludedPairs: () => [],
      ejected: () => [],
      podHealth: () => [],
    },
    { commit: "abc", version: "1.2.3" },
  );
});

/** Samples by `name{labels}`, as on /metrics. */
function scraped(): Record<string, string> {
  const lines = telemetry.families.flatMap((family) => [...expose(family)].join("").split("\n"));
  return Object.fromEntries(
    lines
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => {
        const at = line.lastIndexOf(" ");
        return [line.slice(0, at), line.slice(at + 1)];
      }),
  );
}
const names = () => Object.keys(scraped()).map((series) => series.split("{")[0]);

const labels = { service: undefined, model: "m", targetModel: "t", fairnessId: "f", priority: -1 };
const sent = { endpoint: undefined, client: 0 };
const shown = 'model_name="m",target_model_name="t",fairness_id="f",priority="-1"';
const older = 'model_name="m",target_model_name="t"';
const response: ResponseSummary = {
  seconds: 2.1,
  firstTokenSeconds: 0.1,
  streaming: true,
  bytes: 3_000,
  processingSeconds: 0.002,
  status: 200,
  usage: { inputTokens: 100, outputTokens: 21, cachedTokens: 64 },
  served: undefined,
};

describe("requests", () => {
  it("requests are counted under upstream's names, and under its older names with fewer labels", () => {
    const { observer } = telemetry;
    observer.requestReceived(labels);
    expect(names()).not.toContain("llm_d_epp_request_total");
    observer.requestDispatched(labels, 1_500, sent);
    expect(scraped()).toMatchObject({
      [`llm_d_epp_request_total{${shown}}`]: "1",
      [`inference_objective_request_total{${older},priority="-1"}`]: "1",
      [`llm_d_epp_request_size_bytes_bucket{${shown},le="1024"}`]: "0",
      [`llm_d_epp_request_size_bytes_bucket{${shown},le="2048"}`]: "1",
      [`inference_objective_request_sizes_sum{${older}}`]: "1500",
      [`llm_d_epp_request_running{${shown}}`]: "1",
      'inference_objective_running_requests{model_name="m"}': "1",
    });
    observer.requestCompleted(labels, response);
    expect(scraped()).toMatchObject({
      [`llm_d_epp_request_running{${shown}}`]: "0",
      [`llm_d_epp_request_duration_seconds_sum{${shown}}`]: "2.1",
      [`inference_objective_request_duration_seconds_sum{${older}}`]: "2.1",
      [`llm_d_epp_response_size_bytes_sum{${shown}}`]: "3000",
      [`inference_objective_response_sizes_sum{${older}}`]: "3000",
      [`llm_d_epp_request_ttft_seconds_sum{${shown},streaming="true"}`]: "0.1",
      [`llm_d_epp_request_input_tokens_sum{${shown}}`]: "100",
      [`inference_objective_input_tokens_sum{${older}}`]: "100",
      [`llm_d_epp_request_output_tokens_sum{${shown}}`]: "21",
      [`inference_objective_output_tokens_sum{${older}}`]: "21",
      [`llm_d_epp_request_cached_tokens_sum{${shown}}`]: "64",
      [`inference_objective_prompt_cached_tokens_sum{${older}}`]: "64",
      [`llm_d_epp_request_ntpot_seconds_sum{${shown}}`]: "0.1",
      [`inference_objective_normalized_time_per_output_token_seconds_sum{${older}}`]: "0.1",
      [`llm_d_epp_request_streaming_tpot_seconds_sum{${shown}}`]: "0.1",
    });
    expect(names()).not.toContain("llm_d_epp_request_error_total");
  });

  it("responses are counted by pod and client, with their errors and times to the first token", () => {
    const { observer } = telemetry;
    snapshot = snapshotOf(objects({ pool: pool(), pods: [pod("a")] }), emptySnapshot);
    const [served] = snapshot.endpoints;
    const answer = (client: number, change: Partial<ResponseSummary> = {}) => {
      const own = { ...labels };
      observer.requestDispatched(own, 1, { endpoint: served, client });
      observer.responseBegan(own, { ...response, served, ...change });
      observer.requestCompleted(own, { ...response, served, ...change });
    };
    answer(0);
    answer(3, { status: 503 });
    answer(3, { streaming: false });
    // The client named an unknown model.
    answer(3, { status: 404 });
    const page = telemetry.responses();
    const [counted] = page.endpoints;
    expect(counted).toMatchObject({ uid: served?.podUid, requests: 3, responses: 3, errors: 1 });
    expect(counted?.firstTokens.reduce((sum, each) => sum + each)).toBe(2);
    expect(counted?.clientResponses.slice(0, 4)).toEqual([1, 0, 0, 2]);
    expect(counted?.clientErrors.slice(0, 4)).toEqual([0, 0, 0, 1]);
    expect(responsesPage.parse(page)).toEqual(page);
  });

  it("a request counts once it has a response, or has waited 30 s for it", () => {
    const { observer } = telemetry;
    snapshot = snapshotOf(objects({ pool: pool(), pods: [pod("a")] }), emptySnapshot);
    const [endpoint] = snapshot.endpoints;
    const send = () => {
      const own = { ...labels };
      observer.requestDispatched(own, 1, { endpoint, client: 0 });
      return own;
    };
    const counted = () => telemetry.responses().endpoints[0];
    const [early, late, waiting] = [send(), send(), send()];
    now += 29_000;
    observer.requestCompleted(early, undefined);
    expect(counted()).toMatchObject({ requests: 0, responses: 0 });
    now += 1_000;
    expect(counted()).toMatchObject({ requests: 2, responses: 0 });
    observer.requestCompleted(late, undefined);
    expect(counted()).toMatchObject({ requests: 2, responses: 0 });
    observer.responseBegan(waiting, { ...response, served: endpoint });
    expect(counted()).toMatchObject({ requests: 2, responses: 1 });
  });

  it("a request without a response has no duration", () => {
    telemetry.observer.requestDispatched(labels, 1, sent);
    telemetry.observer.requestCompleted(labels, undefined);
    expect(names()).not.toContain("llm_d_epp_request_duration_seconds_count");
    expect(scraped()[`llm_d_epp_request_running{${shown}}`]).toBe("0");
  });

  it("a request without streaming has no time between tokens", () => {
    telemetry.observer.requestCompleted(labels, { ...response, streaming: false });
    expect(scraped()[`llm_d_epp_request_ttft_seconds_count{${shown},streaming="false"}`]).toBe("1");
    expect(names()).not.toContain("llm_d_epp_request_streaming_tpot_seconds_count");
  });

  it("a failed request is counted by its error code", () => {
    const { observer } = telemetry;
    observer.requestCompleted(labels, { ...response, status: 503 });
    observer.refused(labels, new RequestError("ResourceExhausted", "saturated"));
    observer.refused(undefined, new RequestError("BadRequest", "no JSON"));
    expect(scraped()).toMatchObject({
      [`llm_d_epp_request_error_total{${shown},error_code="ModelServerError"}`]: "1",
      [`llm_d_epp_request_error_total{${shown},error_code="ResourceExhausted"}`]: "1",
      [`inference_objective_request_error_total{${older},error_code="ResourceExhausted"}`]: "1",
      'inference_objective_request_error_total{model_name="",target_model_name="",error_code="BadRequest"}':
        "1",
    });
  });
});

const reading = (change: Partial<ModelServerMetrics> = {}) => metrics({ at: now, ...change });

describe("labels that clients choose", () => {
  const received = (change: object) =>
    telemetry.observer.requestDispatched({ ...labels, ...change }, 1, sent);
  const values = (label: string) =>
    new Set(
      Object.keys(scraped()).flatMap((series) =>
        series.startsWith("llm_d_epp_request_total{")
          ? [new RegExp(`${label}="([^"]*)"`).exec(series)?.[1]]
          : [],
      ),
    );

  it.each([
    ["model_name", (n: number) => ({ model: `m${n}`, targetModel: `m${n}` })],
    ["fairness_id", (n: number) => ({ fairnessId: `f${n}` })],
  ])("%s has at most 1,000 values", (label, change) => {
    for (let n = 0; n < 1_500; n += 1) received(change(n));
    expect(values(label).size).toBe(1_001);
    expect(values(label)).toContain("other");
  });

  it("all labels together have at most 2,000 combinations", () => {
    for (let n = 0; n < 90; n += 1)
      for (let m = 0; m < 90; m += 1) received({ model: `m${n}`, fairnessId: `f${m}` });
    const total = Object.keys(scraped()).filter((series) =>
      series.startsWith("llm_d_epp_request_total"),
    );
    expect(total.length).toBe(2_001);
  });

  it("long values are cut and remain distinct", () => {
    const long = "f".repeat(50_000);
    for (const end of ["a", "b"]) received({ fairnessId: long + end, model: long + end });
    for (const label of ["fairness_id", "model_name"]) {
      const shown = [...values(label)].filter((value) => value?.startsWith("fff"));
      expect(shown).toHaveLength(2);
      expect(shown.map((value) => value?.length)).toEqual([128, 128]);
    }
  });

  it("the model that a server reports is shown beyond the limit", () => {
    for (let n = 0; n < 1_500; n += 1) received({ model: `m${n}`, targetModel: `m${n}` });
    received({ model: "base", targetModel: "base" });
    expect(values("model_name")).not.toContain("base");
    snapshot = snapshotOf(objects({ pods: [pod("a")] }), emptySnapshot);
    const [first] = snapshot.endpoints;
    if (first !== undefined) first.live.metrics = reading({ servedModel: "base" });
    received({ model: "base", targetModel: "base" });
    expect(values("model_name")).toContain("base");
  });

  it("models of rewrites keep their names beyond the limit of labels", () => {
    for (let n = 0; n < 1_500; n += 1) received({ model: `m${n}`, targetModel: `m${n}` });
    const rule = { models: ["gold"], targets: [{ model: "gold-v2", weight: 1 }] };
    snapshot = snapshotOf(objects({ rewrites: [rewriteObject("r", [rule])] }), emptySnapshot);
    received({ model: "gold", targetModel: "gold-v2" });
    expect(values("model_name")).toContain("gold");
    expect(values("target_model_name")).toContain("gold-v2");
  });

  it("gauges return to 0 after 6,000 models", () => {
    const many = Array.from({ length: 6_000 }, (_, n) => ({ ...labels, model: `m${n}` }));
    for (const each of many) telemetry.observer.requestDispatched(each, 1, sent);
    for (const each of many) telemetry.observer.requestCompleted(each, undefined);
    const running = Object.entries(scraped()).filter(([series]) => series.includes("_running"));
    expect(new Set(running.map(([, value]) => value))).toEqual(new Set(["0"]));
  });
});

it("metrics show the picker's work", () => {
  const { observer } = telemetry;
  const endpoint = { pod: "p", namespace: "n", port: 8_000 } as Endpoint;
  observer.scheduled(0.0003, "t", endpoint);
  observer.scheduled(0.0003, "t", undefined);
  observer.rewritten("default/r", "m", "t");
  observer.requestProcessed(0.001);
  observer.requestCompleted(labels, response);
  observer.streamOpened();
  observer.streamOpened();
  observer.streamClosed(3, "CANCELLED");
  telemetry.pollFailed("metrics-data-source");
  telemetry.extractFailed("metrics-data-source", "core-metrics-extractor");
  expect(scraped()).toMatchObject({
    'llm_d_epp_scheduler_attempts_total{status="success",target_model_name="t",endpoint_name="p",namespace="n",port="8000"}':
      "1",
    'inference_extension_scheduler_attempts_total{status="failure",target_model_name="t",pod_name="",namespace="",port=""}':
      "1",
    'llm_d_epp_scheduler_e2e_duration_seconds_bucket{le="0.0005"}': "2",
    inference_extension_scheduler_e2e_duration_seconds_count: "2",
    'llm_d_epp_model_rewrite_decisions_total{model_rewrite_name="r",model_name="m",target_model="t"}':
      "1",
    llm_d_epp_request_processing_duration_seconds_sum: "0.001",
    llm_d_epp_response_processing_duration_seconds_sum: "0.002",
    llm_d_epp_extproc_streams_inflight: "1",
    'llm_d_epp_extproc_streams_total{code="Canceled"}': "1",
    'llm_d_epp_datalayer_poll_errors_total{source_type="metrics-data-source"}': "1",
    'llm_d_inference_scheduler_datalayer_extract_errors_total{source_type="metrics-data-source",extractor_type="core-metrics-extractor"}':
      "1",
    'llm_d_epp_info{commit="abc",build_ref="1.2.3"}': "1",
    'inference_extension_info{commit="abc",build_ref="1.2.3"}': "1",
  });
});

describe("the pool", () => {
  it("pool metrics leave out stale readings and endpoints that are down", () => {
    snapshot = snapshotOf(
      objects({ pods: ["a", "b", "stale", "unread", "down"].map((name) => pod(name)) }),
      emptySnapshot,
    );
    const [a, b, stale, , down] = snapshot.endpoints.map(({ live }) => live);
    if (!a || !b || !stale || !down) throw new Error("unreachable");
    a.metrics = reading({ waitingRequests: 1, runningRequests: 4, kvCacheUsage: 0.123 });
    b.metrics = reading({
      waitingRequests: 4,
      runningRequests: 4,
      kvCacheUsage: 0.5,
      at: now - 2_000,
    });
    stale.metrics = reading({ waitingRequests: 9, at: now - 2_001 });
    down.metrics = reading({ waitingRequests: 9 });
    down.isDown = true;
    a.runningRequests = 3;
    a.runningTokens = 700;
    expect(scraped()).toMatchObject({
      'llm_d_epp_ready_endpoints{name="pool"}': "2",
      'inference_pool_ready_pods{name="pool"}': "2",
      'llm_d_epp_average_queue_size{name="pool"}': "2.5",
      'inference_pool_average_queue_size{name="pool"}': "2.5",
      'llm_d_epp_std_dev_queue_size{name="pool"}': "2.12",
      'llm_d_epp_average_running_requests{name="pool"}': "4",
      'inference_pool_average_running_requests{name="pool"}': "4",
      'llm_d_epp_std_dev_running_requests{name="pool"}': "0",
      'llm_d_epp_average_kv_cache_utilization{name="pool"}': "0.31",
      'inference_pool_average_kv_cache_utilization{name="pool"}': "0.31",
      'llm_d_epp_std_dev_kv_cache_utilization{name="pool"}': "0.27",
      'llm_d_epp_per_endpoint_queue_size{name="pool",model_server_endpoint="stale-rank-0"}': "9",
      'inference_pool_per_pod_queue_size{name="pool",model_server_pod="a-rank-0"}': "1",
      'llm_d_epp_inflight_requests{endpoint_name="a-rank-0",namespace="default",producer_name="inflight-load-producer",fairness_id="",priority=""}':
        "3",
      'llm_d_epp_inflight_tokens{endpoint_name="a-rank-0",namespace="default",producer_name="inflight-load-producer",fairness_id="",priority=""}':
        "700",
    });
  });

  it("a pool without a reading has no mean and 0 ready pods", () => {
    snapshot = snapshotOf(objects({ pool: pool(), pods: [pod("a")] }), emptySnapshot);
    expect(scraped()['inference_pool_ready_pods{name="pool"}']).toBe("0");
    expect(names()).not.toContain("inference_pool_average_queue_size");
  });

  it("a pool that does not exist has no metrics", () => {
    expect(names().filter((name) => name?.startsWith("inference_pool_"))).toEqual([]);
  });
});
