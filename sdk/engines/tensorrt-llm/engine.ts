import { wholeModelOver } from "../checks/model-division.ts";
import { textOf } from "../command-line/words.ts";
import { fileName } from "../command-line/wrappers.ts";
import type { Engine } from "../interface/engine.ts";
import { notKnown } from "../options/arguments.ts";
import { limitsOf } from "../options/option-limits.ts";
import { optionsByName } from "../options/option-names.ts";
import options from "./options.json" with { type: "json" };
import { tensorRtLlmServing } from "./serving.ts";
import { tensorRtLlmChecks } from "./start-up.ts";

/** Subcommands of `trtllm-serve` that do not start the OpenAI server of one model. */
const otherCommands = /^(disaggregated|disaggregated_mpi_worker|grpc|mm_embedding_serve)$/;

/** TensorRT-LLM, by `trtllm-serve serve --help`. */
export const tensorRtLlm: Engine = {
  title: "TensorRT-LLM",
  versionOf: () => undefined,
  serverArguments({ name = "", args }) {
    if (fileName(name) !== "trtllm-serve" && name !== "tensorrt_llm.commands.serve")
      return undefined;
    const [first, ...rest] = args;
    if (first !== undefined && otherCommands.test(first.text)) return undefined;
    return first?.text === "serve" ? rest : args;
  },
  image: /tensorrt-?llm/,
  startsWithoutArguments: false,
  memoryOption: "--kv_cache_free_gpu_memory_fraction",
  requestSlots: { option: "--max_batch_size", byDefault: () => undefined },
  limits: limitsOf({
    "int >=1 <=65535": ["--port"],
    "int >=1": [
      "--tensor_parallel_size",
      "--pipeline_parallel_size",
      "--context_parallel_size",
      "--moe_expert_parallel_size",
      "--max_batch_size",
      "--max_num_tokens",
      "--max_seq_len",
    ],
    "float >0 <=1": ["--free_gpu_memory_fraction"],
  }),
  releases: undefined,
  syntax: {
    // Options of TensorRT-LLM 1.2, from tensorrt_llm/commands/serve.py.
    options: optionsByName(options),
    spelling: (name) => name,
    abbreviates: false,
    nests: false,
    takesModel: true,
  },
  metrics: undefined,
  port: 8000,
  host: "localhost",
  healthPath: "/health",
  // Routes with GET in tensorrt_llm/serve/openai_server.py.
  paths:
    /^\/(health|health_generate|version|v1\/models|metrics|prometheus\/metrics|perf_metrics|server_info|docs|openapi\.json)\/?$/,
  keys: undefined,
  groupOptions: [],
  advertisedHosts: { always: [], inGroups: [] },
  imageFiles: /^\/(opt|usr|app|code)\//,
  inputFiles: ["--tokenizer", "--chat_template", "--config"],
  speaksGrpc: () => false,
  model: ({ positional: [model], isOpen }) =>
    model === undefined ? (isOpen ? notKnown : undefined) : (textOf(model) ?? notKnown),
  modelFactors: {
    tensor: "--tp_size",
    pipeline: "--pp_size",
    context: "--cp_size",
  },
  copies: { data: undefined, dataLocal: undefined },
  copiesUse: () => "same",
  // Set in `cache_transceiver_config` of the file that --config names.
  transfer: undefined,
  hostCache: undefined,
  requestedAdapters: "--enable-lora",
  drain: undefined,
  takesKvEvents: false,
  groupExecutor: () => undefined,
  serving: tensorRtLlmServing,
  divideBy: () => wholeModelOver,
  wholeExperts: "set --ep_size to the tensor parallel size",
  longerContext: undefined,
  checks: tensorRtLlmChecks,
};
