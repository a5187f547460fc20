import type { Platform } from "../accelerators/accelerator.ts";
import type { PartRanks } from "../interface/engine.ts";
import {
  type EnvVar,
  fields,
  flag,
  flagIf,
  gibibytesOf,
  imageOf,
  kvDirectory,
  type ServingEngine,
  type ServingTask,
  sizeFlag,
} from "../interface/serving-engine.ts";
import { gibibyte, gibibytes } from "../memory/gibibytes.ts";
import { engineImages } from "../models/engine-images.ts";
import { vllmMemory } from "./memory.ts";

/** Images by platform. Tags of vLLM Ascend have version numbers of their own. */
const images: Partial<Record<Platform, string>> = {
  cuda: engineImages.vllm,
  rocm: engineImages.vllmOnAmd,
  cpu: engineImages.vllmOnCpu,
  ascend: engineImages.vllmOnAscend,
};

/** Planned share of a device's memory. */
const defaultFraction = 0.9;

/** Returns the ranks that share the parts of a model. `isWhole`: each expert is on one rank. */
export const partRanks = (tensor: number, data: number, isWhole: boolean): PartRanks => ({
  attention: tensor,
  dense: tensor,
  // Copies with whole experts split the sequence, not the shared expert.
  shared: isWhole && data > 1 ? 1 : tensor,
  // Experts that are not whole are divided over all copies together.
  experts: isWhole ? 1 : tensor * data,
});

export const vllmServing: ServingEngine = {
  image: (platform, version) => imageOf(images[platform], version),
  // The entrypoint of vllm-ascend's image is a shell.
  command: (platform) => (platform === "ascend" ? ["vllm", "serve"] : undefined),
  labels: {},
  // The rule data-parallel-size-divides has the reason.
  stagesCopies: false,
  args(task) {
    const { files, settings, division, context, accelerator } = task;
    const { lora } = settings;
    return [
      ...["--model", files.path],
      ...namesOf(task),
      ...flag("--revision", task.model.revision),
      ...flag("--load-format", files.isStreamed ? "runai_streamer" : undefined),
      ...sizeFlag("--tensor-parallel-size", division.tensor),
      ...sizeFlag("--pipeline-parallel-size", division.pipeline),
      ...sizeFlag("--data-parallel-size", division.data),
      ...flagIf("--enable-expert-parallel", division.expertParallel),
      ...flag("--max-model-len", context),
      ...flag("--max-num-seqs", settings.maxNumSeqs),
      ...(accelerator.platform === "cpu"
        ? []
        : ["--gpu-memory-utilization", String(settings.memoryFraction ?? defaultFraction)]),
      ...flag("--dtype", settings.dtype === "auto" ? undefined : settings.dtype),
      ...flag("--quantization", settings.quantization === "auto" ? undefined : "fp8"),
      ...flag("--kv-cache-dtype", settings.kvCacheDtype === "auto" ? undefined : "fp8"),
      ...(lora === undefined
        ? []
        : [
            "--enable-lora",
            ...flag("--max-lora-rank", lora.maxRank),
            ...flag("--max-loras", lora.maxLoaded ?? Math.max(1, lora.adapters.length)),
            ...(lora.adapters.length === 0
              ? []
              : [
                  "--lora-modules",
                  ...lora.adapters.map(({ name, source }) => `${name}=${source}`),
                ]),
          ]),
      ...offload(task),
      ...speculation(task),
    ];
  },
  optionFields: {
    ...fields({
      "--model": "model.name",
      "--revision": "model.revision",
      "--max-model-len": "maxModelLen",
      "--max-num-seqs": "maxNumSeqs",
      "--gpu-memory-utilization": "memoryFraction",
      "--tensor-parallel-size": "tensorParallel",
      "--pipeline-parallel-size": "pipelineParallel",
      "--data-parallel-size": "dataParallel",
      "--enable-expert-parallel": "expertParallel",
      "--dtype": "dtype",
      "--enable-lora": "lora",
      "--max-lora-rank": "lora.maxRank",
      "--max-loras": "lora.maxLoaded",
      "--kv-offloading-size": "kvOffload.cpu",
    }),
    "--quantization": { field: "quantization", values: ["fp8"] },
    "--kv-cache-dtype": { field: "kvCacheDtype", values: ["fp8", "fp8_e4m3"] },
    "--lora-modules": { field: "lora.adapters", values: [] },
    "--speculative-config": { field: "speculative", values: [] },
    "--kv-transfer-config": { field: "kvOffload.disk", values: [] },
  },
  partRanks: ({ tensor, data, expertParallel }) => partRanks(tensor, data, expertParallel),
  memory(facts, { request, settings, division }) {
    const { tensor, pipeline, data, expertParallel } = division;
    return vllmMemory(facts, {
      ...request,
      layout: { tensor, pipeline, data, expertParallel },
      utilization: settings.memoryFraction ?? defaultFraction,
      ...(settings.version !== undefined && { version: settings.version }),
      ...(settings.maxNumSeqs !== undefined && { sequences: settings.maxNumSeqs }),
    });
  },
  env({ settings, accelerator, kvCacheBytes }) {
    const values: EnvVar[] = [];
    const { dynamic = false, directory } = settings.lora ?? {};
    if (dynamic || directory !== undefined)
      values.push({ name: "VLLM_ALLOW_RUNTIME_LORA_UPDATING", value: "True" });
    if (directory !== undefined)
      values.push({ name: "VLLM_LORA_RESOLVER_CACHE_DIR", value: directory });
    if (accelerator.platform === "cpu")
      values.push({
        name: "VLLM_CPU_KVCACHE_SPACE",
        value: String(Math.max(1, Math.ceil(gibibytes(kvCacheBytes)))),
      });
    return values;
  },
  *faults({ kvOffload, version }) {
    const [major = 0, minor = 0] = (version ?? "").split(".").map(Number);
    if (version !== undefined && kvOffload !== undefined && major === 0 && minor < 13)
      yield {
        path: ["kvOffload"],
        given: `is set for vLLM ${version}`,
        allowed: "vLLM 0.13 or later, which has --kv-offloading-size",
        fix: "Raise engine.version, or remove kvOffload.",
      };
    else if (version !== undefined && kvOffload?.disk !== undefined && major === 0 && minor < 32)
      yield {
        path: ["kvOffload", "disk"],
        given: `is set for vLLM ${version}`,
        allowed: "vLLM 0.32 or later, the first version whose disk tier this library supports",
        fix: "Raise engine.version, or remove disk.",
      };
  },
};

/** Host memory has its own flag; the tiers below it are configured as a connector. */
function offload({ settings: { kvOffload } }: ServingTask): string[] {
  if (kvOffload === undefined) return [];
  const gibibytes = gibibytesOf(kvOffload.cpu);
  if (kvOffload.disk === undefined) return ["--kv-offloading-size", String(gibibytes)];
  const config = {
    kv_connector: "OffloadingConnector",
    kv_role: "kv_both",
    kv_connector_extra_config: {
      spec_name: "TieringOffloadingSpec",
      cpu_bytes_to_use: gibibytes * gibibyte,
      secondary_tiers: [{ type: "fs", root_dir: kvDirectory }],
    },
  };
  return ["--kv-transfer-config", JSON.stringify(config)];
}

/** An engine that loads a path still serves the model by its name. */
const namesOf = ({ model, files }: ServingTask) =>
  files.path === model.name ? [] : ["--served-model-name", model.name];

function speculation({ settings: { speculative } }: ServingTask): string[] {
  if (speculative === undefined) return [];
  const { method, tokens, model } = speculative;
  return [
    "--speculative-config",
    JSON.stringify({ method, num_speculative_tokens: tokens, ...(model && { model }) }),
  ];
}
