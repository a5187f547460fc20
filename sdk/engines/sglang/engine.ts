import { fileName } from "../command-line/wrappers.ts";
import type { Engine } from "../interface/engine.ts";
import { sglangMetrics } from "../interface/metric-names.ts";
import { notKnown, whatIsKnown } from "../options/arguments.ts";
import { limitsOf } from "../options/option-limits.ts";
import { isReleaseTag, optionsOfAll, releaseOf } from "../options/release.ts";
import type { Version } from "../options/version.ts";
import { sglangReleases } from "./releases/index.ts";
import { partRanks, sglangServing, sizeIn, wholeRanks } from "./serving.ts";
import { sglangChecks } from "./start-up.ts";

const modes = { prefiller: "prefill", decoder: "decode" } as const;
const modeFlag = "--disaggregation-mode";

/** The flag that names the port of a prefiller's bootstrap server. */
export const bootstrapPortFlag = "--disaggregation-bootstrap-port";

/** Images whose tag is the version. */
const ownRepository = /(^|\/)sglang$/;

function versionOf(image: unknown): Version | undefined {
  if (typeof image !== "string") return undefined;
  const [, repository = "", tag = ""] = /^([^@]*?)(?::([^/:@]+))?(?:@.*)?$/.exec(image) ?? [];
  const named = /sglang[-_]?v?(\d+)\.(\d+)(?:\.(\d+))?/.exec(tag);
  const counted = ownRepository.test(repository) ? /^v?(\d+)\.(\d+)(?:\.(\d+))?/.exec(tag) : null;
  const [, major, minor, patch] = named ?? counted ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor), Number(patch ?? 0)];
}

/** SGLang, by `sglang.launch_server --help`. */
export const sglang: Engine = {
  title: "SGLang",
  versionOf,
  serverArguments({ name = "", args }) {
    if (/^sglang\.(launch_server|srt\.entrypoints\.\w+)$/.test(name)) return args;
    if (name.endsWith("/sglang/launch_server.py")) return args;
    return fileName(name) === "sglang" && args[0]?.text === "serve" ? args.slice(1) : undefined;
  },
  image: /sglang(?!.*(router|gateway))/,
  startsWithoutArguments: false,
  syntax: {
    options: optionsOfAll(sglangReleases),
    spelling: (name) => name,
    abbreviates: true,
    nests: false,
    takesModel: false,
  },
  memoryOption: "--mem-fraction-static",
  requestSlots: { option: "--max-running-requests", byDefault: () => undefined },
  limits: limitsOf({
    "int >=1 <=65535": ["--port"],
    "int >=1": [
      "--tp-size",
      "--pp-size",
      "--dp-size",
      "--ep-size",
      "--max-running-requests",
      "--page-size",
    ],
    "float >0 <1": ["--mem-fraction-static"],
    json: ["--json-model-override-args"],
  }),
  releases: {
    all: sglangReleases,
    of(image) {
      const version = isReleaseTag(image) ? versionOf(image) : undefined;
      return version && releaseOf(sglangReleases, version, 3);
    },
    variable: /^(SGLANG|SGL)_/,
    replaced: {
      "--enable-ep-moe": "Set --ep-size.",
      "--enable-deepep-moe": "Set --moe-a2a-backend deepep.",
    },
    replacedVariables: {},
    refusedKeys: {},
    neededKeys: {},
    neededOptions: {},
    ignoredValues: {},
    plugins: {},
  },
  metrics: sglangMetrics,
  port: 30000,
  host: "127.0.0.1",
  healthPath: "/health",
  // Routes with GET in sglang/srt/entrypoints/http_server.py.
  paths:
    /^\/(|ready|health|health_generate|get_model_info|model_info|get_server_info|server_info|get_load|v1\/loads|v1\/models(\/.*)?|metrics|ping|version|docs|openapi\.json|api\/tags|flush_cache)\/?$/,
  // add_api_key_middleware in sglang/srt/utils: all paths except health checks and metrics.
  keys: { option: "--api-key", variable: undefined, paths: /^\/(?!health|metrics)/ },
  groupOptions: [
    ...["--ep-size", "--enable-dp-attention", "--enable-dp-lm-head", "--moe-a2a-backend"],
    ...["--deepep-mode", "--enable-eplb", "--ep-num-redundant-experts", "--attention-backend"],
    ...["--context-length", "--dtype", "--quantization", "--kv-cache-dtype", "--page-size"],
    ...["--chunked-prefill-size", "--max-running-requests", "--speculative-algorithm"],
    ...["--disaggregation-mode", "--nnodes", "--disable-cuda-graph", "--enable-two-batch-overlap"],
  ],
  advertisedHosts: { always: [], inGroups: ["SGLANG_HOST_IP", "HOST_IP"] },
  imageFiles: /^\/(sgl-workspace|opt|usr|app)\//,
  inputFiles: ["--tokenizer-path", "--chat-template", "--config", "--speculative-draft-model-path"],
  speaksGrpc: (args) => args.has("--grpc-mode") || args.has("--smg-grpc-mode"),
  model: (args) => args.value("--model-path"),
  modelFactors: { tensor: "--tp-size", pipeline: "--pp-size", context: undefined },
  copies: { data: "--dp-size", dataLocal: undefined },
  // Copies that share their attention layers run on the accelerators of the one model.
  copiesUse: (args) => (args.has("--enable-dp-attention") ? "same" : "further"),
  transfer: {
    missing(args, _, side) {
      const wanted = modes[side];
      const mode = args.value(modeFlag);
      if (mode === wanted || mode === notKnown) return undefined;
      return {
        given:
          mode === undefined
            ? "start SGLang without --disaggregation-mode"
            : `set --disaggregation-mode ${mode}`,
        allowed: `--disaggregation-mode ${wanted} on a ${side}`,
        fix: `Add "--disaggregation-mode", "${wanted}", and set the same --disaggregation-transfer-backend on both sides.`,
      };
    },
    // The plan leaves the transfer backend at its default, as SGLang's guide does.
    planned: (_, side) => [modeFlag, modes[side]],
    sidecarConnector: "sglang",
    pairsRanks: () => false,
    sideChannel: () => undefined,
  },
  hostCache: { option: "--hicache-size", unit: 1e9, isPerRank: true, tier: undefined },
  requestedAdapters: "--enable-lora",
  // The SIGTERM handler ends the server after the last running request.
  drain: { option: undefined },
  takesKvEvents: false,
  groupExecutor: () => "sglang",
  serving: sglangServing,
  divideBy(args) {
    const read = (option: string) => whatIsKnown(args.written(option));
    const copies = sizeIn(read(args.has("--enable-dp-attention") ? "--dp-size" : "--attn-dp-size"));
    const dense = sizeIn(read("--moe-dense-tp-size"));
    return (tensor) =>
      partRanks({ tensor, copies: copies ?? 1, dense, whole: wholeRanks(tensor, read) });
  },
  wholeExperts: "set --ep-size to the tensor parallel size",
  longerContext: "SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN",
  checks: sglangChecks,
};
