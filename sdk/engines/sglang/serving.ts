import { engineTypeLabel } from "../../names.ts";
import type { PartRanks } from "../interface/engine.ts";
import {
  fields,
  flag,
  gibibytesOf,
  imageOf,
  kvDirectory,
  type ServingEngine,
  type ServingTask,
  sizeFlag,
} from "../interface/serving-engine.ts";
import { engineImages } from "../models/engine-images.ts";
import { sglangMemory } from "./memory.ts";

interface PartSizes {
  readonly tensor: number;
  /** Copies of the attention layers. */
  readonly copies: number;
  /** Ranks of the feed-forward layers; undefined for the ranks of the attention. */
  readonly dense: number | undefined;
  /** Ranks that have whole experts; 1 if every rank has a part of each. */
  readonly whole: number;
}

/** Returns the ranks that share the parts of a model. */
export const partRanks = ({ tensor, copies, dense, whole }: PartSizes): PartRanks => ({
  attention: tensor / copies,
  dense: dense ?? tensor / copies,
  shared: whole > 1 ? 1 : tensor,
  experts: tensor / whole,
});

/**
 * Returns the ranks that have whole experts: with an exchange of tokens, all ranks of the tensor parallel group.
 *
 * @param read returns the text of an option; undefined if it is not set
 */
export function wholeRanks(tensor: number, read: (option: string) => string | undefined): number {
  const exchange = read("--moe-a2a-backend") ?? "none";
  return exchange === "none" ? (sizeIn(read("--ep-size")) ?? 1) : tensor;
}

/** Returns a parallel size; undefined for other texts. */
export const sizeIn = (text: string | undefined): number | undefined =>
  text !== undefined && /^[1-9]\d*$/.test(text) ? Number(text) : undefined;

export const sglangServing: ServingEngine = {
  image: (platform, version) =>
    platform === "cuda" ? imageOf(engineImages.sglang, version) : undefined,
  command: () => ["python3", "-m", "sglang.launch_server"],
  // The endpoint picker reads the metrics of the engine that this label names.
  labels: { [engineTypeLabel]: "sglang" },
  stagesCopies: true,
  args(task) {
    const { model, files, settings, division, context } = task;
    const { lora } = settings;
    return [
      ...["--model-path", files.path],
      ...(files.path === model.name ? [] : ["--served-model-name", model.name]),
      ...flag("--revision", model.revision),
      ...["--host", "0.0.0.0", "--port", "30000", "--enable-metrics"],
      ...flag("--load-format", files.isStreamed ? "runai_streamer" : undefined),
      // Copies of the attention layers run on the devices of the one model.
      ...sizeFlag("--tp-size", division.tensor * division.data),
      ...(division.data === 1 ? [] : ["--dp-size", String(division.data), "--enable-dp-attention"]),
      ...sizeFlag("--pp-size", division.pipeline),
      ...(division.expertParallel ? ["--ep-size", String(division.tensor * division.data)] : []),
      ...flag("--context-length", context),
      ...flag("--max-running-requests", settings.maxNumSeqs),
      ...flag("--mem-fraction-static", settings.memoryFraction),
      ...flag("--dtype", settings.dtype === "auto" ? undefined : settings.dtype),
      ...flag("--quantization", settings.quantization === "auto" ? undefined : "fp8"),
      ...flag("--kv-cache-dtype", settings.kvCacheDtype === "auto" ? undefined : "fp8_e4m3"),
      ...(lora === undefined
        ? []
        : [
            "--enable-lora",
            ...flag("--max-lora-rank", lora.maxRank),
            ...flag("--max-loras-per-batch", lora.maxLoaded ?? Math.max(1, lora.adapters.length)),
            ...(lora.adapters.length === 0
              ? []
              : ["--lora-paths", ...lora.adapters.map(({ name, source }) => `${name}=${source}`)]),
          ]),
      ...(settings.kvOffload === undefined
        ? []
        : [
            "--enable-hierarchical-cache",
            ...["--hicache-size", hicacheSize(settings.kvOffload.cpu, division)],
            ...flag("--hicache-storage-backend", settings.kvOffload.disk && "file"),
          ]),
      ...flag("--disaggregation-ib-device", task.transferDevices?.join()),
      ...speculation(task),
    ];
  },
  optionFields: {
    ...fields({
      "--model-path": "model.name",
      "--revision": "model.revision",
      "--context-length": "maxModelLen",
      "--max-running-requests": "maxNumSeqs",
      "--mem-fraction-static": "memoryFraction",
      "--tp-size": "tensorParallel",
      "--pp-size": "pipelineParallel",
      "--dp-size": "dataParallel",
      "--enable-dp-attention": "dataParallel",
      "--dtype": "dtype",
      "--enable-lora": "lora",
      "--max-lora-rank": "lora.maxRank",
      "--max-loras-per-batch": "lora.maxLoaded",
      "--hicache-size": "kvOffload.cpu",
    }),
    "--ep-size": { field: "expertParallel", values: [] },
    "--quantization": { field: "quantization", values: ["fp8"] },
    "--kv-cache-dtype": { field: "kvCacheDtype", values: ["fp8_e4m3"] },
    "--lora-paths": { field: "lora.adapters", values: [] },
    "--enable-hierarchical-cache": { field: "kvOffload", values: [] },
    "--hicache-storage-backend": { field: "kvOffload.disk", values: [] },
    "--speculative-algorithm": { field: "speculative.method", values: [] },
    "--speculative-draft-model-path": { field: "speculative.model", values: [] },
    "--speculative-num-steps": { field: "speculative.tokens", values: [] },
    "--speculative-num-draft-tokens": { field: "speculative.tokens", values: [] },
  },
  partRanks({ tensor, data, expertParallel }) {
    const all = tensor * data;
    return partRanks({
      tensor: all,
      copies: data,
      dense: undefined,
      whole: expertParallel ? all : 1,
    });
  },
  memory(facts, { request, settings: { memoryFraction }, division }) {
    const { tensor, pipeline, data, expertParallel } = division;
    // Copies of the attention layers are inside the tensor parallel group.
    const layout = { tensor: tensor * data, pipeline, attentionCopies: data, expertParallel };
    return sglangMemory(facts, {
      ...request,
      layout,
      ...(memoryFraction !== undefined && { memoryFraction }),
    });
  },
  env: ({ settings: { kvOffload } }) =>
    kvOffload?.disk === undefined
      ? []
      : [{ name: "SGLANG_HICACHE_FILE_BACKEND_STORAGE_DIR", value: kvDirectory }],
  *faults({ lora, speculative, args }) {
    if (lora?.directory !== undefined)
      yield {
        path: ["lora", "directory"],
        given: "is set for SGLang",
        allowed: "directory only for vLLM, which can load adapters from a directory",
        fix: "Remove directory, or set engine.name to vllm.",
      };
    const namesLayers = args.some((word) => word.startsWith("--lora-target-modules"));
    if (lora?.dynamic === true && lora.adapters.length === 0 && !namesLayers)
      yield {
        path: ["lora", "adapters"],
        given: "is empty with dynamic adapters",
        allowed: "at least one adapter, because SGLang reads the adapted layers from it",
        fix: "Add an adapter, or set --lora-target-modules in engine.args.",
      };
    if (speculative?.method === "mtp" && speculative.model !== undefined)
      yield {
        path: ["speculative", "model"],
        given: "is set with method mtp",
        allowed: "no draft model, because the model contains the draft layers",
        fix: "Remove model, or set method to eagle3.",
      };
  },
};

/** SGLang sets the host memory of each rank, in GB. */
const hicacheSize = (quantity: string, { tensor, data }: ServingTask["division"]): string =>
  String(Math.max(1, Math.floor(gibibytesOf(quantity) / (tensor * data))));

/** With `speculative-num-steps`, each step predicts one token in a chain. */
function speculation({ settings: { speculative } }: ServingTask): string[] {
  if (speculative === undefined) return [];
  const { method, tokens, model } = speculative;
  const algorithm = { mtp: "EAGLE", eagle3: "EAGLE3", ngram: "NGRAM" }[method];
  return [
    ...["--speculative-algorithm", algorithm],
    ...flag("--speculative-draft-model-path", model),
    ...(method === "ngram"
      ? []
      : ["--speculative-num-steps", String(tokens), "--speculative-eagle-topk", "1"]),
    ...["--speculative-num-draft-tokens", String(method === "ngram" ? tokens : tokens + 1)],
  ];
}
