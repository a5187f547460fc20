import { metricsPage } from "../../testing/model-server/metrics-page.ts";
import { simulationDefaults } from "../../testing/model-server/simulation.ts";
import { type PoolState, work } from "./simulated-picker.ts";

/**
 * Pages that Prometheus reads from the engines of a simulated pool and from their GPUs. Load follows from the state of
 * the pool: names and labels are vLLM's and dcgm-exporter's, and no model runs.
 */

/** A series of a page: name, own labels and value. */
export type PageSeries = readonly [name: string, labels: string, value: string];

const { inputTokens, outputTokens, responseSeconds } = work;
const maxRunning = 5;

interface Counts {
  prompt: number;
  generated: number;
  preemptions: number;
}

export class SimulatedEngines {
  readonly #counts = new Map<number, Counts>();
  #state: PoolState | undefined;

  /** Runs for a time in which the pool has one state. */
  run(seconds: number, state: PoolState): void {
    this.#state = state;
    for (let at = 0; at < state.engines; at += 1) {
      const counts = this.#counts.get(at) ?? { prompt: 0, generated: 0, preemptions: 0 };
      this.#counts.set(at, counts);
      const requests = seconds * this.#requestsPerSecond(at);
      counts.prompt += Math.round(requests * inputTokens);
      counts.generated += Math.round(requests * outputTokens);
      if (state.kvCache > 0.9) counts.preemptions += Math.round(requests);
    }
  }

  /** Returns the page of each engine. */
  *pages(): Iterable<readonly [engine: number, series: readonly PageSeries[]]> {
    const { engines: count = 0, kvCache = 0 } = this.#state ?? {};
    for (let at = 0; at < count; at += 1) {
      const { prompt, generated, preemptions } = this.#counts.get(at) as Counts;
      const load = this.#requestsPerSecond(at) * responseSeconds;
      const page = metricsPage(
        "chat",
        {
          ...{ running: Math.min(maxRunning, load), waiting: Math.max(0, load - maxRunning) },
          ...{ firstTokens: 0, endedRequests: 0, generatedTokens: generated, cacheUsage: kvCache },
          ...{ activeAdapters: [], waitingAdapters: [] },
        },
        simulationDefaults,
      );
      const labels = 'engine="0",model_name="chat"';
      yield [
        at,
        [
          ...seriesOf(page),
          ["vllm:prompt_tokens_total", labels, String(prompt)],
          ["vllm:num_preemptions_total", labels, String(preemptions)],
        ],
      ];
    }
  }

  /** Returns the series of dcgm-exporter for each GPU, and for the GPU of another team. */
  *gpus(): Iterable<PageSeries> {
    const count = this.#state?.engines ?? 0;
    for (let at = 0; at < count; at += 1)
      yield* gpu(`chat-${at}`, Math.min(100, 25 * this.#requestsPerSecond(at) * responseSeconds));
    yield* gpu("train-0", 99);
  }

  /** Engines do not get the same share of requests. */
  #requestsPerSecond(at: number): number {
    const { rate, engines: count } = this.#state as PoolState;
    return (rate / count) * (0.9 + 0.07 * at);
  }
}

function* gpu(pod: string, utilization: number): Iterable<PageSeries> {
  const labels = `gpu="0",device="nvidia0",modelName="NVIDIA H100 80GB HBM3",exported_namespace="models",exported_pod="${pod}"`;
  yield ["DCGM_FI_DEV_GPU_UTIL", labels, utilization.toFixed(0)];
  yield ["DCGM_FI_DEV_FB_USED", labels, "72904"];
}

function* seriesOf(page: string): Iterable<PageSeries> {
  for (const line of page.split("\n")) {
    const [, name, labels = "", value] = /^([\w:]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) yield [name, labels, value];
  }
}
