import { scraped } from "../../sdk/observability/metrics.ts";
import { fullCache } from "../../sdk/plan/observability/cause-alerts.ts";
import { dashboard } from "./dashboard.ts";
import { plot } from "./panels.ts";
import { byGpu, byPod, byPodPerSecond, readEngines } from "./queries.ts";

/** The dashboard for slow engines: load, caches and GPUs of each pod. */
export const engines = () =>
  dashboard({
    title: "Inference engines",
    description: "Load, KV caches, throughput and GPUs of the engines of one service.",
    rows: {
      Load: [
        plot({
          title: "Running requests",
          description: "Requests that an engine computes concurrently.",
          queries: [{ expr: byPod("running", "sum"), legend: "{{pod}}" }],
        }),
        plot({
          title: "Waiting requests",
          description:
            "Requests that wait in an engine. Almost none do, because the picker queues them.",
          queries: [{ expr: byPod("waiting", "sum"), legend: "{{pod}}" }],
        }),
        plot({
          title: "KV cache in use",
          description: "A full cache makes an engine preempt requests and compute them again.",
          unit: "percentunit",
          max: 1,
          limit: fullCache,
          queries: [{ expr: byPod("kvCache", "max"), legend: "{{pod}}" }],
        }),
        plot({
          title: "Preemptions",
          description: "Preempted requests per second; only vLLM counts them.",
          unit: "cps",
          noValue: "not counted",
          queries: [{ expr: byPodPerSecond("preemptions"), legend: "{{pod}}" }],
        }),
      ],
      Throughput: [
        plot({
          title: "Prompt tokens",
          description: "Tokens per second of prompts, from the cache or computed.",
          span: 8,
          queries: [{ expr: byPodPerSecond("promptTokens"), legend: "{{pod}}" }],
        }),
        plot({
          title: "Generated tokens",
          description: "Tokens per second of responses.",
          span: 8,
          queries: [{ expr: byPodPerSecond("generatedTokens"), legend: "{{pod}}" }],
        }),
        plot({
          title: "Engine pods",
          description: "Engine pods whose metrics Prometheus reads.",
          span: 8,
          queries: [{ expr: readEngines(scraped), legend: "pods" }],
        }),
      ],
      GPUs: [
        plot({
          title: "GPU utilization",
          description:
            "Share of the time in which a GPU works, from dcgm-exporter. GPUs of engine pods that Prometheus reads: of a group over several pods, the first pod.",
          unit: "percent",
          max: 100,
          noValue: "no dcgm-exporter",
          queries: [{ expr: byGpu("utilization", scraped), legend: "{{pod}} GPU {{gpu}}" }],
        }),
        plot({
          title: "GPU memory",
          description: "Memory in use, from dcgm-exporter.",
          unit: "mbytes",
          noValue: "no dcgm-exporter",
          queries: [{ expr: byGpu("memory", scraped), legend: "{{pod}} GPU {{gpu}}" }],
        }),
      ],
    },
  });
