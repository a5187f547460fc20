import { describe, expect, it } from "vitest";
import { parseMetricSpec } from "../../../scheduling/endpoints/metric-spec.ts";
import { engineResolver } from "./engines.ts";
import { MetricsReader } from "./read-metrics.ts";

const resolve = engineResolver();
const read = (engine: string, page: string, previous?: ReturnType<MetricsReader["read"]>) => {
  const metrics = resolve({ "llm-d.ai/engine-type": engine });
  if (metrics === undefined) throw new Error(`no engine ${engine}`);
  return new MetricsReader(metrics).read(Buffer.from(page), 7, previous);
};

describe("pages of each engine", () => {
  it("MetricsReader reads every metric of vllm", () => {
    const page = [
      'vllm:num_requests_running{engine="0",model_name="m"} 3.0',
      'vllm:num_requests_waiting{engine="0",model_name="m"} 2.0',
      'vllm:kv_cache_usage_perc{engine="0",model_name="m"} 0.25',
      'vllm:time_to_first_token_seconds_bucket{engine="0",model_name="m",le="0.1"} 5.0',
      'vllm:time_to_first_token_seconds_count{engine="0",model_name="m"} 12.0',
      'vllm:time_to_first_token_seconds_sum{engine="0",model_name="m"} 0.7',
      'vllm:e2e_request_latency_seconds_count{engine="0",model_name="m"} 9.0',
      'vllm:generation_tokens_total{engine="0",model_name="m"} 480.0',
      'vllm:cache_config_info{block_size="16",num_gpu_blocks="1000",cache_dtype="auto"} 1.0',
      'vllm:lora_requests_info{max_lora="2",running_lora_adapters="old",waiting_lora_adapters=""} 10',
      'vllm:lora_requests_info{max_lora="4",running_lora_adapters="a, b",waiting_lora_adapters="c"} 20',
      'vllm:lora_requests_info{max_lora="3",running_lora_adapters="older",waiting_lora_adapters=""} 15',
    ].join("\n");
    expect(read("vllm", page)).toEqual({
      at: 7,
      waitingRequests: 2,
      runningRequests: 3,
      reportsRequests: true,
      maxRunningRequests: undefined,
      firstTokens: 12,
      endedRequests: 9,
      generatedTokens: 480,
      kvCacheUsage: 0.25,
      cacheBlockSize: 16,
      cacheBlocks: 1000,
      servedModel: "m",
      activeModels: new Set(["a", "b"]),
      waitingModels: new Set(["c"]),
      maxActiveModels: 4,
    });
  });

  it.each([
    [
      "sglang",
      'sglang:num_queue_reqs 2\nsglang:num_running_reqs 3\nsglang:token_usage 0.5\nsglang:cache_config_info{page_size="32",num_pages="10"} 1',
      32,
    ],
    [
      "trtllm-serve",
      "trtllm_num_requests_waiting 2\ntrtllm_num_requests_running 3\ntrtllm_kv_cache_utilization 0.5\ntrtllm_kv_cache_tokens_per_block 32\ntrtllm_kv_cache_max_blocks 10",
      32,
    ],
    [
      "triton-tensorrt-llm",
      'nv_trt_llm_request_metrics{request_type="waiting"} 2\nnv_trt_llm_request_metrics{request_type="scheduled"} 3\nnv_trt_llm_kv_cache_block_metrics{kv_cache_block_type="fraction"} 0.5\nnv_trt_llm_kv_cache_block_metrics{kv_cache_block_type="tokens_per"} 32\nnv_trt_llm_kv_cache_block_metrics{kv_cache_block_type="max"} 10',
      32,
    ],
  ])("MetricsReader reads requests and cache of %s", (engine, page, block) => {
    expect(read(engine, page)).toMatchObject({
      waitingRequests: 2,
      runningRequests: 3,
      reportsRequests: true,
      maxRunningRequests: undefined,
      kvCacheUsage: 0.5,
      cacheBlockSize: block,
      cacheBlocks: 10,
    });
  });

  it.each([
    ["vllm 0.8", "vllm", "vllm:gpu_cache_usage_perc 0.25", { kvCacheUsage: 0.25 }],
    [
      "vllm 0.9, which has both names",
      "vllm",
      "vllm:gpu_cache_usage_perc 0.2\nvllm:kv_cache_usage_perc 0.3",
      { kvCacheUsage: 0.3 },
    ],
    [
      "vllm 0.8 with two ranks",
      "vllm",
      'vllm:gpu_cache_usage_perc{engine="0"} 0.2\nvllm:gpu_cache_usage_perc{engine="1"} 0.4',
      { kvCacheUsage: expect.closeTo(0.3) },
    ],
    [
      "sglang 0.3",
      "sglang",
      "sglang:num_requests_waiting 2\nsglang:num_requests_running 3",
      { waitingRequests: 2, runningRequests: 3, reportsRequests: true },
    ],
    [
      "a prefiller of sglang 0.5.5",
      "sglang",
      "sglang:num_queue_reqs 1\nsglang:num_prefill_prealloc_queue_reqs 2\nsglang:num_prefill_inflight_queue_reqs 4",
      { waitingRequests: 7 },
    ],
    [
      "a prefiller of sglang 0.5.23, which renamed a queue",
      "sglang",
      "sglang:num_queue_reqs 1\nsglang:num_prefill_bootstrap_queue_reqs 2\nsglang:num_prefill_inflight_queue_reqs 4",
      { waitingRequests: 7 },
    ],
    [
      "a prefiller of the version that misspells a queue",
      "sglang",
      "sglang:num_queue_reqs 1\nsglang:num_prefill_infight_queue_reqs 4",
      { waitingRequests: 5 },
    ],
    [
      "a decoder of sglang",
      "sglang",
      "sglang:num_decode_prealloc_queue_reqs 8\nsglang:num_decode_transfer_queue_reqs 16\nsglang:num_queue_reqs 1\nsglang:num_grammar_queue_reqs 32",
      { waitingRequests: 57 },
    ],
    [
      "two data-parallel ranks of sglang",
      "sglang",
      [0, 1]
        .map(
          (rank) =>
            `sglang:num_queue_reqs{dp_rank="${rank}"} ${rank + 1}\nsglang:num_running_reqs{dp_rank="${rank}"} 2\nsglang:num_decode_prealloc_queue_reqs{dp_rank="${rank}"} 4\nsglang:token_usage{dp_rank="${rank}"} 0.${rank + 1}`,
        )
        .join("\n"),
      { waitingRequests: 11, runningRequests: 4, kvCacheUsage: expect.closeTo(0.15) },
    ],
  ])("MetricsReader reads the names of %s", (_, engine, page, expected) => {
    expect(read(engine, page)).toMatchObject(expected);
  });

  it("MetricsReader adds the requests of vLLM's data-parallel ranks", () => {
    const page = [0, 1, 2]
      .flatMap((rank) => [
        `vllm:num_requests_running{engine="${rank}",model_name="m"} ${2 + rank}.0`,
        `vllm:num_requests_waiting{engine="${rank}",model_name="m"} ${rank}.0`,
        `vllm:kv_cache_usage_perc{engine="${rank}",model_name="m"} 0.${1 + rank}`,
        `vllm:time_to_first_token_seconds_count{engine="${rank}",model_name="m"} 10.0`,
        `vllm:e2e_request_latency_seconds_count{engine="${rank}",model_name="m"} 8.0`,
        `vllm:generation_tokens_total{engine="${rank}",model_name="m"} 400.0`,
        `vllm:cache_config_info{block_size="16",num_gpu_blocks="1000",engine="${rank}"} 1.0`,
      ])
      .join("\n");
    expect(read("vllm", page)).toMatchObject({
      waitingRequests: 3,
      runningRequests: 9,
      firstTokens: 30,
      endedRequests: 24,
      generatedTokens: 1_200,
      kvCacheUsage: expect.closeTo(0.2),
      cacheBlocks: 1000,
    });
  });

  it("MetricsReader reads neither cache nor adapters of triton", () => {
    expect(
      read("triton", "nv_inference_pending_request_count 2\nnv_inference_exec_count 3"),
    ).toMatchObject({
      waitingRequests: 2,
      runningRequests: 3,
      // Its only metric of running requests counts all requests since the start.
      reportsRequests: false,
      maxRunningRequests: undefined,
      kvCacheUsage: 0,
      cacheBlockSize: undefined,
    });
  });
});

it("values that a page lacks keep their previous reading", () => {
  const before = read("vllm", "vllm:num_requests_waiting 5\nvllm:kv_cache_usage_perc 0.5");
  expect(read("vllm", "vllm:num_requests_waiting 1", before)).toMatchObject({
    waitingRequests: 1,
    kvCacheUsage: 0.5,
  });
});

it.each(["", "<html>busy</html>", "vllm:num_requests_waiting x", "other 1"])(
  "a page with %j gives no reading",
  (page) => {
    expect(read("vllm", page)).toBeUndefined();
  },
);

it("impossible values are ignored or clamped", () => {
  expect(
    read(
      "vllm",
      "vllm:num_requests_waiting NaN\nvllm:num_requests_running -3\nvllm:kv_cache_usage_perc 7",
    ),
  ).toMatchObject({ waitingRequests: 0, runningRequests: 0, kvCacheUsage: 1 });
});

describe("engines", () => {
  it.each([
    [{}, "vllm:num_requests_waiting"],
    [{ "inference.networking.k8s.io/engine-type": "sglang" }, "sglang:num_queue_reqs"],
    [
      { "llm-d.ai/engine-type": "triton", "inference.networking.k8s.io/engine-type": "sglang" },
      "nv_inference_pending_request_count",
    ],
    [{ "llm-d.ai/engine-type": "unknown" }, undefined],
  ])("engineResolver selects the engine by labels: %j", (labels, family) => {
    expect(resolve(labels as Record<string, string>)?.waitingRequests?.family).toBe(family);
  });

  it("engineResolver accepts configured engines", () => {
    const mine = engineResolver({
      engineLabelKey: "engine",
      defaultEngine: "mine",
      engineConfigs: [{ name: "mine", queuedRequestsSpec: "queue{status=waiting}" }],
    });
    expect(mine({})?.waitingRequests).toEqual({ family: "queue", labels: { status: "waiting" } });
    expect(mine({ engine: "vllm" })?.waitingRequests?.family).toBe("vllm:num_requests_waiting");
  });

  it("engineResolver and parseMetricSpec reject invalid input with a reason", () => {
    expect(() => engineResolver({ defaultEngine: "x" })).toThrow('defaultEngine "x" is unknown');
    expect(() => parseMetricSpec("a b")).toThrow('"a b" is not a metric');
    expect(() => parseMetricSpec("a{b}")).toThrow('"b" in "a{b}" is not a label');
  });
});
