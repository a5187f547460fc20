/**
 * Memory that engines printed in public threads and reports. Sources are threads of GitHub by repository and number, pages, or
 * documents of a repository at a commit. `assumed` names what the source leaves out.
 */
export interface EngineLog {
  readonly source: string;
  readonly model: string;
  readonly engine: "vllm" | "sglang";
  readonly version: string;
  /** Total memory of a device in GiB, as the driver reports it. */
  readonly deviceGib: number;
  readonly linked?: boolean;
  readonly capability?: number;
  readonly tensor?: number;
  readonly pipeline?: number;
  readonly data?: number;
  readonly expertParallel?: boolean;
  /** `--gpu-memory-utilization` or `--mem-fraction-static`. */
  readonly fraction: number;
  readonly context?: number;
  readonly stepTokens?: number;
  readonly sequences?: number;
  readonly keyValueType?: "auto" | "fp8";
  readonly quantizedOnLoading?: number;
  readonly eager?: boolean;
  /** Weights in GiB per device. */
  readonly weightsGib?: number;
  /** Memory for keys and values in GiB per device. */
  readonly availableGib?: number;
  readonly tokens?: number;
  readonly assumed?: string;
}

const report =
  "llm-d-incubation/llm-d-planner docs/accuracy/vllm-v0.19.0-accuracy-report.md@2d557dca";
const earlier = "llm-d-incubation/llm-d-planner docs/empirical-vllm-memory-results.md@e50305af";
const h100: Pick<EngineLog, "engine" | "deviceGib" | "linked"> = {
  ...{ deviceGib: 79.19, linked: true },
  engine: "vllm",
};
const v19 = { ...h100, source: report, version: "0.19.0", fraction: 0.95 };
const v11 = { ...h100, source: earlier, version: "0.11.0", fraction: 0.9, context: 16_000 };
/** The report has the parts but not the rest. */
const derived = "KV memory is 0.95 of the device without the parts that the report has";
const llama = "meta-llama/Llama-3.1-8B-Instruct";

export const engineLogs: readonly EngineLog[] = [
  { ...v19, model: llama, weightsGib: 14.99, availableGib: 58.11, tokens: 476_016 },
  { ...v19, model: llama, keyValueType: "fp8", availableGib: 58.11, tokens: 952_032 },
  { ...v19, model: llama, quantizedOnLoading: 1, weightsGib: 8.49, availableGib: 64.61 },
  { ...v19, model: llama, tensor: 2, weightsGib: 7.51, availableGib: 63.76, assumed: derived },
  { ...v19, model: llama, tensor: 4, weightsGib: 3.77, availableGib: 67.44, assumed: derived },
  { ...v19, model: llama, pipeline: 2, weightsGib: 7.51, availableGib: 66.55, assumed: derived },
  { ...v19, model: llama, pipeline: 4, weightsGib: 4.26, availableGib: 69.85, assumed: derived },
  {
    ...v19,
    model: "Qwen/Qwen2.5-7B-Instruct",
    weightsGib: 14.25,
    availableGib: 58.53,
    tokens: 1_096_000,
  },
  { ...v19, model: "Qwen/Qwen2.5-7B-Instruct", keyValueType: "fp8", tokens: 2_192_000 },
  {
    ...v19,
    model: "Qwen/Qwen2.5-7B-Instruct",
    tensor: 2,
    weightsGib: 7.12,
    availableGib: 63.84,
    assumed: derived,
  },
  {
    ...v19,
    model: "Qwen/Qwen2.5-7B-Instruct",
    tensor: 4,
    weightsGib: 3.55,
    availableGib: 67.34,
    assumed: derived,
  },
  { ...v19, model: "Qwen/Qwen3-8B", weightsGib: 15.27, availableGib: 57.5, assumed: derived },
  {
    ...v19,
    model: "Qwen/Qwen3-8B",
    pipeline: 3,
    weightsGib: 5.48,
    availableGib: 68.72,
    assumed: derived,
  },
  { ...v11, model: "openai/gpt-oss-20b", weightsGib: 13.47, availableGib: 50.28 },
  {
    ...v11,
    model: "openai/gpt-oss-120b",
    fraction: 0.95,
    weightsGib: 64.38,
    availableGib: 3.33,
    assumed: "utilization 0.95, at which the row adds up; the table has 0.9",
  },
  { ...v11, model: llama, weightsGib: 14.99, availableGib: 51.38 },
  { ...v11, model: "Qwen/Qwen3-0.6B", weightsGib: 1.12, availableGib: 64.45 },
  { ...v11, model: "Qwen/Qwen3-32B", weightsGib: 61.03, availableGib: 4.45 },
  { ...v11, model: "Qwen/Qwen3-32B", tensor: 2, weightsGib: 30.59, availableGib: 34.49 },
  {
    ...v11,
    model: "meta-llama/Llama-3.3-70B-Instruct",
    tensor: 2,
    quantizedOnLoading: 1,
    weightsGib: 33.88,
    availableGib: 32,
    assumed: "RedHatAI's FP8-dynamic checkpoint has the sizes of quantization on loading",
  },
  {
    ...{ ...v11, model: "mistralai/Mistral-Small-3.2-24B-Instruct-2506", fraction: 0.95 },
    ...{ weightsGib: 44.76, availableGib: 28.2, tokens: 184_832 },
  },
  {
    ...h100,
    source: "vllm-project/vllm#10511",
    version: "0.6.4",
    model: llama,
    fraction: 0.9,
    sequences: 256,
    weightsGib: 14.96,
    availableGib: 53.29,
    assumed: "Meta-Llama-3-8B has the sizes of Llama 3.1 8B",
  },
  {
    ...h100,
    source: "vllm-project/vllm#21348",
    version: "0.9.2",
    model: "Qwen/Qwen3-235B-A22B-FP8",
    tensor: 4,
    fraction: 0.9,
    availableGib: 8.11,
    tokens: 178_880,
  },
  {
    ...h100,
    source: "vllm-project/vllm#21348",
    engine: "sglang",
    version: "0.4.9",
    model: "Qwen/Qwen3-235B-A22B-FP8",
    tensor: 4,
    fraction: 0.93,
    tokens: 367_404,
  },
  {
    ...h100,
    source: "vllm-project/vllm#6746",
    version: "0.5.3",
    model: "meta-llama/Llama-3.1-405B-Instruct-FP8",
    tensor: 8,
    fraction: 0.9,
    weightsGib: 57.752,
  },
  {
    engine: "vllm",
    source: "vllm-project/vllm#10517",
    version: "0.6.4",
    model: llama,
    deviceGib: 23.58,
    fraction: 0.9,
    context: 20_000,
    stepTokens: 20_000,
    weightsGib: 14.9888,
    availableGib: 3.81,
    tokens: 31_232,
  },
  {
    engine: "vllm",
    source: "vllm-project/vllm#10517",
    version: "0.6.4",
    model: llama,
    deviceGib: 23.58,
    fraction: 0.9,
    context: 29_000,
    stepTokens: 29_000,
    weightsGib: 14.9888,
    availableGib: 2.89,
    tokens: 23_648,
  },
  {
    engine: "vllm",
    source: "vllm-project/vllm#17327",
    version: "0.8.5",
    model: "Qwen/Qwen3-30B-A3B",
    tensor: 4,
    deviceGib: 23.6,
    fraction: 0.9,
    weightsGib: 14.2474,
    assumed: "device",
  },
  {
    engine: "vllm",
    source: "vllm-project/vllm#13061",
    version: "0.7.2",
    model: "deepseek-ai/DeepSeek-R1-Distill-Qwen-14B",
    tensor: 2,
    deviceGib: 23.55,
    fraction: 0.98,
    sequences: 256,
    weightsGib: 13.9476,
    availableGib: 8.69,
    tokens: 81_536,
  },
  {
    engine: "vllm",
    source: "vllm-project/vllm#13074",
    version: "0.7.2",
    linked: true,
    model: "deepseek-ai/DeepSeek-R1",
    tensor: 8,
    pipeline: 2,
    deviceGib: 139.72,
    fraction: 1,
    sequences: 256,
    stepTokens: 2048,
    weightsGib: 39.66,
    availableGib: 97.29,
  },
  {
    engine: "vllm",
    source: "vllm-project/recipes#12",
    version: "0.10.1",
    linked: true,
    model: "Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8",
    data: 8,
    expertParallel: true,
    deviceGib: 139.72,
    fraction: 0.9,
    availableGib: 48.66,
    tokens: 205_728,
    assumed: "device of 141 GB: 0.05 of it is 6.99 GiB",
  },
  {
    engine: "vllm",
    source: "vllm-project/recipes#12",
    version: "0.10.1",
    linked: true,
    model: "Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8",
    data: 8,
    expertParallel: true,
    deviceGib: 139.72,
    fraction: 0.95,
    availableGib: 55.65,
    tokens: 235_296,
    assumed: "as above",
  },
  {
    engine: "vllm",
    source: "vllm-project/vllm#2031",
    version: "0.2.4",
    model: "meta-llama/Llama-2-7b-hf",
    deviceGib: 79.15,
    fraction: 0.9,
    sequences: 256,
    stepTokens: 4096,
    tokens: 117_616,
    assumed: "device and defaults of that version",
  },
  {
    engine: "vllm",
    source: "noonghunna/club-3090#612",
    version: "0.24.0",
    model: "nvidia/Qwen3.6-35B-A3B-NVFP4",
    deviceGib: 31.36,
    fraction: 0.92,
    context: 131_072,
    stepTokens: 8192,
    sequences: 1,
    keyValueType: "fp8",
    availableGib: 5.98,
    tokens: 567_978,
    assumed: "default utilization; the NVFP4 checkpoint is NVIDIA's",
  },
  {
    engine: "vllm",
    source: "vllm-project/recipes#810",
    version: "0.26.1",
    model: "Qwen/Qwen3.5-27B",
    quantizedOnLoading: 1,
    tensor: 2,
    deviceGib: 31.36,
    fraction: 0.92,
    context: 262_144,
    weightsGib: 14.28,
    tokens: 377_456,
    assumed:
      "Qwen3.8-27B has the sizes of Qwen3.5-27B; default utilization; keys and values in 16 bits",
  },
  {
    ...{ engine: "vllm", source: "myoceane.fr/index.php/ai-vllm-a100-gemma-4", version: "0.19.0" },
    ...{ model: "openai/gpt-oss-20b", deviceGib: 79.25, capability: 8, fraction: 0.65 },
    ...{ weightsGib: 13.72, availableGib: 36.56, assumed: "A100 with 80 GB" },
  },
  {
    ...{ engine: "vllm", source: "myoceane.fr/index.php/ai-vllm-a100-gemma-4", version: "0.19.0" },
    ...{
      model: "google/gemma-4-26B-A4B",
      deviceGib: 79.25,
      capability: 8,
      fraction: 0.9,
      eager: true,
    },
    ...{ context: 131_072, weightsGib: 48.5, availableGib: 21.5, assumed: "A100 with 80 GB" },
  },
  {
    ...h100,
    source: "vllm-project/vllm#23278",
    version: "0.10.1",
    model: "openai/gpt-oss-120b",
    fraction: 0.9,
    weightsGib: 65.9651,
  },
  {
    engine: "vllm",
    source: "kyuz0/amd-strix-halo-vllm-toolboxes#5",
    version: "0.10",
    model: "Qwen/Qwen3-4B",
    deviceGib: 64,
    fraction: 0.9,
    weightsGib: 7.6785,
    assumed: "device",
  },
];

/** Sizes of a KV cache in bytes and tokens, without what it takes to know the bytes. */
export type PoolLog = Pick<
  EngineLog,
  "source" | "model" | "tensor" | "context" | "keyValueType"
> & {
  readonly availableGib: number;
  readonly tokens: number;
};

export const poolLogs: readonly PoolLog[] = [
  { source: "LMCache/LMCache#1739", model: "Qwen/Qwen3-14B", availableGib: 6.51, tokens: 42_656 },
  {
    source: "vllm-project/vllm#21348",
    model: "Qwen/Qwen3-235B-A22B-FP8",
    tensor: 4,
    availableGib: 8.11,
    tokens: 178_880,
  },
  {
    source: "vllm-project/vllm#34076",
    model: "Qwen/Qwen3-30B-A3B-Instruct-2507",
    availableGib: 24,
    tokens: 262_144,
  },
  {
    source: "vllm-project/recipes#12",
    model: "Qwen/Qwen3-Coder-480B-A35B-Instruct",
    availableGib: 62,
    tokens: 262_144,
  },
  { source: "vllm-project/vllm#10517", model: llama, availableGib: 3.81, tokens: 31_232 },
  {
    source: "noonghunna/club-3090#652",
    model: "nvidia/Qwen3.6-35B-A3B-NVFP4",
    context: 131_072,
    keyValueType: "fp8",
    availableGib: 6.01,
    tokens: 569_878,
  },
  {
    source: "noonghunna/club-3090#594",
    model: "nvidia/Qwen3.6-27B-NVFP4",
    tensor: 2,
    context: 262_144,
    keyValueType: "fp8",
    availableGib: 5.33,
    tokens: 300_220,
  },
  {
    source: "noonghunna/club-3090#104",
    model: "nvidia/Qwen3.6-27B-NVFP4",
    tensor: 2,
    context: 262_144,
    keyValueType: "fp8",
    availableGib: 9.84,
    tokens: 619_202,
  },
  {
    source: "noonghunna/club-3090#1086",
    model: "nvidia/Qwen3.6-27B-NVFP4",
    tensor: 2,
    context: 65_536,
    availableGib: 11.15,
    tokens: 214_135,
  },
];
