import { engineTypeLabel } from "../../names.ts";
import { wholeModelOver } from "../checks/model-division.ts";
import {
  fields,
  flag,
  imageOf,
  type ServingEngine,
  sizeFlag,
} from "../interface/serving-engine.ts";
import { engineImages } from "../models/engine-images.ts";
import type { EngineSettings } from "../spec/engine.ts";
import { vllmServing } from "../vllm/serving.ts";

/** Planned share of a device's memory. */
const defaultFraction = 0.9;

export const tensorRtLlmServing: ServingEngine = {
  image: (platform, version) =>
    platform === "cuda" ? imageOf(engineImages.tensorRtLlm, version) : undefined,
  command: () => ["trtllm-serve", "serve"],
  labels: { [engineTypeLabel]: "trtllm-serve" },
  stagesCopies: true,
  args({ model, files, settings, division, context }) {
    return [
      files.path,
      ...["--host", "0.0.0.0", "--port", "8000"],
      ...flag("--revision", model.revision),
      ...sizeFlag("--tp_size", division.tensor),
      ...sizeFlag("--pp_size", division.pipeline),
      ...(division.expertParallel ? ["--ep_size", String(division.tensor)] : []),
      ...flag("--max_seq_len", context),
      ...flag("--max_batch_size", settings.maxNumSeqs),
      ...[
        "--kv_cache_free_gpu_memory_fraction",
        String(settings.memoryFraction ?? defaultFraction),
      ],
    ];
  },
  optionFields: {
    ...fields({
      "--revision": "model.revision",
      "--max_seq_len": "maxModelLen",
      "--max_batch_size": "maxNumSeqs",
      "--kv_cache_free_gpu_memory_fraction": "memoryFraction",
      "--tp_size": "tensorParallel",
      "--pp_size": "pipelineParallel",
    }),
    "--ep_size": { field: "expertParallel", values: [] },
  },
  partRanks: ({ tensor }) => wholeModelOver(tensor),
  // Estimated as vLLM's newest release.
  memory: (facts, task) =>
    vllmServing.memory(facts, { ...task, settings: { ...task.settings, version: undefined } }),
  env: () => [],
  *faults(settings) {
    for (const field of inFileOnly)
      if (isSet(settings, field))
        yield {
          path: [field],
          given: "is set for TensorRT-LLM",
          allowed: "settings that trtllm-serve accepts on its command line",
          fix: `Remove ${field}, or mount a configuration file and pass --config in engine.args.`,
        };
  },
};

/** Settings that TensorRT-LLM reads only from the file of `--config`. */
const inFileOnly = [
  "lora",
  "kvOffload",
  "speculative",
  "quantization",
  "dtype",
  "kvCacheDtype",
  "dataParallel",
] as const satisfies ReadonlyArray<keyof EngineSettings>;

function isSet(settings: EngineSettings, field: (typeof inFileOnly)[number]): boolean {
  const value = settings[field];
  return value !== undefined && value !== "auto" && value !== 1;
}
