import fc from "fast-check";
import { engineResolver } from "../../runtime/epp/model-servers/engines.ts";
import { MetricsReader } from "../../runtime/epp/model-servers/read-metrics.ts";
import { loadOf } from "../../runtime/multi-cluster/imports/picker-load.ts";
import { readPickerPages } from "../../runtime/programs/status-controller/picker-pages.ts";
import { spoiled } from "./arbitraries.ts";
import { target } from "./target.ts";

/** Metrics pages of model servers, and of pickers. */

const resolveEngine = engineResolver();
const engines = ["vllm", "sglang", "trtllm-serve", "triton"].flatMap(
  (name) => resolveEngine({ "llm-d.ai/engine-type": name }) ?? [],
);

const label = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.constantFrom("llm_service", "pool", "model_name", "running_lora_adapters", "block_size"),
);
const pageOf = (...families: string[]) =>
  fc
    .array(
      fc
        .tuple(
          fc.constantFrom("# TYPE x", ...families),
          fc.dictionary(label, fc.oneof(fc.string({ maxLength: 30 }), fc.constant("ml/pool")), {
            maxKeys: 3,
          }),
          fc.oneof(fc.double().map(String), fc.string({ maxLength: 10 })),
        )
        .map(
          ([name, labels, value]) =>
            `${name}{${Object.entries(labels).map(([key, text]) => `${key}="${text}"`)}} ${value}`,
        ),
      { maxLength: 20 },
    )
    .map((lines) => Buffer.from(lines.join("\n")));

const pageOfServer = pageOf(
  "vllm:num_requests_waiting",
  "vllm:num_requests_running",
  "vllm:lora_requests_info",
  "vllm:cache_config_info",
  "sglang:token_usage",
);
const pageOfPicker = pageOf(
  "llm_d_epp_ready_endpoints",
  "inference_pool_average_queue_size",
  "llm_service_requests_total",
  "llm_service_latency_per_output_token_p95_seconds",
  "llm_d_epp_model_target_missing",
);

export const pageTargets = [
  target(
    "metrics pages of model servers",
    fc.tuple(spoiled(pageOfServer), fc.nat(engines.length - 1)),
    ([page, which]) => {
      const engine = engines[which];
      if (engine !== undefined) new MetricsReader(engine).read(page, 0, undefined);
    },
  ),
  target("metrics pages of pickers", spoiled(pageOfPicker), (page) => {
    const load = loadOf(page);
    for (const value of Object.values(load ?? {}))
      if (!Number.isFinite(value) || value < 0) throw new Error(`a load of ${value}`);
    readPickerPages("ml/pool", [page, page]);
  }),
];
