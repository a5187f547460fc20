import { isDeferred } from "../../../kubernetes/values/deferred.ts";
import type { CommandLine } from "../command-line/started-programs.ts";
import { textOf } from "../command-line/words.ts";
import { fileName } from "../command-line/wrappers.ts";
import type { Engine } from "../interface/engine.ts";
import { vllmMetrics } from "../interface/metric-names.ts";
import { notKnown } from "../options/arguments.ts";
import { connectorIn, kvConnectors, transferFlag } from "../options/kv-connectors.ts";
import { limitsOf } from "../options/option-limits.ts";
import { isReleaseTag, optionsOfAll, releaseOf } from "../options/release.ts";
import { isAtLeast } from "../options/version.ts";
import { vllmHostCache } from "./host-cache.ts";
import { groupSupportOf, vllmVersionOf } from "./images.ts";
import { defaultSequences } from "./limits.ts";
import { isLargeDevice } from "./memory.ts";
import { vllmReleases } from "./releases/index.ts";
import { partRanks, vllmServing } from "./serving.ts";
import { vllmChecks } from "./start-up.ts";

/** Suggested arguments: every vLLM since 0.10 has this connector. */
const nixl = `"${transferFlag}", '{"kv_connector":"NixlConnector","kv_role":"kv_both"}'`;

/**
 * Whether an engine supports `kv_load_failure_policy`, which is in `vllm/config/kv_transfer.py` since 0.13. Its
 * default was `recompute` up to 0.16 and is `fail` since 0.17.
 */
const knowsFailurePolicy = (engine: CommandLine): boolean =>
  isAtLeast(vllmVersionOf(engine.image), [0, 13]) === true;

/** vLLM, by `vllm serve --help`. */
export const vllm: Engine = {
  title: "vLLM",
  versionOf: vllmVersionOf,
  serverArguments({ name = "", args }) {
    if (/^vllm\.entrypoints\.(\w+\.)?api_server$/.test(name)) return args;
    if (name.endsWith("/vllm/entrypoints/openai/api_server.py")) return args;
    if (fileName(name) !== "vllm" && name !== "vllm.entrypoints.cli.main") return undefined;
    return args[0]?.text === "serve" ? args.slice(1) : undefined;
  },
  // The command of vllm-ascend's image is a shell.
  image: /(^|[-_/.])vllm(?!.*(router|sidecar|proxy|exporter|ascend))/,
  startsWithoutArguments: true,
  syntax: {
    options: optionsOfAll(vllmReleases),
    spelling: (name) => (name.startsWith("--") ? name.replaceAll("_", "-") : name),
    abbreviates: true,
    nests: true,
    takesModel: true,
  },
  memoryOption: "--gpu-memory-utilization",
  requestSlots: {
    option: "--max-num-seqs",
    byDefault: (device) => defaultSequences[isLargeDevice(device) ? "large" : "others"],
  },
  limits: limitsOf({
    "int >=1 <=65535": ["--port"],
    // The kernels of attention use blocks of 16 tokens.
    "int >0 *16": ["--block-size"],
    json: ["--hf-overrides"],
    "json|text": ["--limit-mm-per-prompt"],
  }),
  releases: {
    all: vllmReleases,
    of(image) {
      // The images of hardware plugins have further options and values.
      const isOwn = typeof image === "string" && /(^|\/)vllm-openai(-\w+)*[:@]/.test(image);
      const version = isOwn && isReleaseTag(image) ? vllmVersionOf(image) : undefined;
      return version && releaseOf(vllmReleases, version, 2);
    },
    variable: /^VLLM_/,
    replaced: {
      "--disable-log-requests": "Remove it: requests are logged only with --enable-log-requests.",
      "--rope-scaling": "Set rope_parameters in --hf-overrides.",
      "--rope-theta": "Set rope_theta of rope_parameters in --hf-overrides.",
      "--swap-space":
        "Remove it: preempted requests are computed again. --kv-offloading-size keeps KV blocks in host memory.",
      "--speculative-model": "Set model in --speculative-config.",
      "--num-speculative-tokens": "Set num_speculative_tokens in --speculative-config.",
      "--guided-decoding-backend": "Set --structured-outputs-config.backend.",
      "--num-scheduler-steps": "Remove it.",
      "--use-v2-block-manager": "Remove it.",
      "--worker-use-ray": "Set --distributed-executor-backend ray.",
      "--task": "Set --runner, and --convert for a pooling model.",
      "--enable-reasoning": "Remove it: --reasoning-parser enables reasoning.",
      "--max-seq-len-to-capture": "Set --max-cudagraph-capture-size.",
      "--cuda-graph-sizes": "Set --cudagraph-capture-sizes.",
      "--num-redundant-experts": "Set num_redundant_experts in --eplb-config.",
    },
    replacedVariables: {
      VLLM_ATTENTION_BACKEND: "Set --attention-backend.",
      VLLM_FLASH_ATTN_VERSION: "Set --attention-config.flash_attn_version.",
      VLLM_USE_TRTLLM_ATTENTION: "Set --attention-config.use_trtllm_attention.",
      VLLM_USE_CUDNN_PREFILL: "Set --attention-config.use_cudnn_prefill.",
      VLLM_ALL2ALL_BACKEND: "Set --all2all-backend.",
      VLLM_TORCH_PROFILER_DIR: "Set --profiler-config.torch_profiler_dir.",
      VLLM_USE_V1: "Remove it: all releases since 0.11 have only this engine.",
    },
    // SpeculativeConfig._verify_args refuses the first one; the others are not among its fields.
    refusedKeys: {
      "--speculative-config": {
        tensor_parallel_size: "draft_tensor_parallel_size",
        speculative_model: "model",
        draft_model: "model",
        num_draft_tokens: "num_speculative_tokens",
      },
    },
    // KVTransferConfig.__post_init__.
    neededKeys: { [transferFlag]: { kv_connector: "kv_role" } },
    // validate_parsed_serve_args in vllm/entrypoints/openai/cli_args.py.
    neededOptions: { "--enable-auto-tool-choice": "--tool-call-parser" },
    // ParallelConfig replaces both since 0.17 (vllm-project/vllm#33724).
    ignoredValues: {
      "--all2all-backend": {
        pplx: "allgather_reducescatter",
        naive: "allgather_reducescatter",
      },
    },
    plugins: {
      "--tool-call-parser": "--tool-parser-plugin",
      "--reasoning-parser": "--reasoning-parser-plugin",
    },
  },
  metrics: vllmMetrics,
  port: 8000,
  host: "0.0.0.0",
  healthPath: "/health",
  // Routes with GET in vllm/entrypoints, and the mounted metrics.
  paths:
    /^\/(health|ping|load|version|metrics|v1\/models|docs|openapi\.json|ready|readyz|server_info|is_sleeping|is_paused|kv_event_sources|tokenizer_info|get_world_size)\/?$/,
  // AuthenticationMiddleware in vllm/entrypoints/openai.
  keys: { option: "--api-key", variable: "VLLM_API_KEY", paths: /^\/v1/ },
  // ParallelConfig.compute_hash, which data-parallel ranks compare since vllm-project/vllm#26218.
  groupOptions: [
    ...["--enable-expert-parallel", "--enable-eplb", "--eplb-config", "--all2all-backend"],
    ...["--expert-placement-strategy", "--decode-context-parallel-size", "--enable-dbo"],
    ...["--max-model-len", "--dtype", "--quantization", "--kv-cache-dtype", "--block-size"],
    ...["--speculative-config", "--enforce-eager", "--enable-lora", "--data-parallel-backend"],
    ...["--max-num-batched-tokens", "--max-num-seqs", "--hf-overrides", "--moe-backend"],
  ],
  advertisedHosts: {
    always: [
      ...["VLLM_NIXL_SIDE_CHANNEL_HOST", "VLLM_P2P_SIDE_CHANNEL_HOST"],
      "VLLM_EC_SIDE_CHANNEL_HOST",
    ],
    inGroups: ["VLLM_HOST_IP", "VLLM_DP_MASTER_IP"],
  },
  imageFiles: /^\/(vllm-workspace|opt|usr|app)\//,
  inputFiles: [
    ...["--tokenizer", "--chat-template", "--hf-config-path", "--tool-parser-plugin"],
    ...["--reasoning-parser-plugin", "--config", "--speculative-config.model"],
  ],
  speaksGrpc: (args) => args.has("--grpc"),
  model(args) {
    const [model] = args.positional;
    if (args.has("--model")) return args.value("--model");
    if (model !== undefined) return textOf(model) ?? notKnown;
    return args.isOpen ? notKnown : undefined;
  },
  modelFactors: {
    tensor: "--tensor-parallel-size",
    pipeline: "--pipeline-parallel-size",
    context: "--prefill-context-parallel-size",
  },
  copies: { data: "--data-parallel-size", dataLocal: "--data-parallel-size-local" },
  // If a rank is set, the other copies are engines of other pods, and a separate balancer distributes requests.
  copiesUse: (args) =>
    args.has("--data-parallel-rank") || args.has("--data-parallel-external-lb")
      ? "others"
      : "further",
  transfer: {
    missing(args, engine) {
      if (args.isOpen || args.has(transferFlag) || hasLMCache(engine)) return undefined;
      return {
        given: `start vLLM without ${transferFlag}`,
        allowed: "a KV cache transfer, because the service has prefillers and decoders",
        fix: `Add ${nixl}, and set the environment variable VLLM_NIXL_SIDE_CHANNEL_HOST from status.podIP.`,
      };
    },
    planned: (engine) => [
      transferFlag,
      JSON.stringify({
        // A decoder computes the prompt itself if no prefiller does.
        kv_connector: "NixlConnector",
        kv_role: "kv_both",
        ...(knowsFailurePolicy(engine) && { kv_load_failure_policy: "recompute" }),
      }),
    ],
    sidecarConnector: undefined,
    pairsRanks: (args) => (connectorIn(args) ?? "NixlConnector") === "NixlConnector",
    // vllm/envs.py: decoders get the address from the prefiller.
    sideChannel(args) {
      const connectors = kvConnectors(args).filter((each) => each.kv_connector === "NixlConnector");
      if (connectors.length === 0) return undefined;
      return {
        host: "VLLM_NIXL_SIDE_CHANNEL_HOST",
        port: "VLLM_NIXL_SIDE_CHANNEL_PORT",
        isSent: connectors.some(({ kv_role: role }) => role !== "kv_consumer"),
      };
    },
  },
  hostCache: vllmHostCache,
  requestedAdapters: undefined,
  // The first version on PyPI with the option. Its default is 0: requests are aborted.
  drain: { option: { name: "--shutdown-timeout", since: [0, 18] } },
  takesKvEvents: true,
  groupExecutor(image) {
    const { mp, ray } = groupSupportOf(image);
    if (mp === true) return "mp";
    return ray === true ? "ray" : undefined;
  },
  serving: vllmServing,
  divideBy(args, data) {
    const isWhole = args.written("--enable-expert-parallel") === "true";
    return (tensor) => partRanks(tensor, data, isWhole);
  },
  wholeExperts: "add --enable-expert-parallel",
  longerContext: "VLLM_ALLOW_LONG_MAX_MODEL_LEN",
  checks: vllmChecks,
};

/** Returns whether variables configure the transfer, as in LMCache's images. */
function hasLMCache({ env }: CommandLine): boolean {
  if (isDeferred(env)) return true;
  return (
    Array.isArray(env) &&
    env.some((entry) => isDeferred(entry) || /^LMCACHE_/.test(String(entry?.name)))
  );
}
