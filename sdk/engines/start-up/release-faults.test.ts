import { describe, expect, it } from "vitest";
import type { CommandLine } from "../command-line/started-programs.ts";
import { releaseFaults } from "./release-faults.ts";

const vllm = (args: readonly string[], fields: object = {}) => ({
  name: "engine",
  image: "vllm/vllm-openai:v0.32.0",
  args: ["--model", "m", ...args],
  ...fields,
});
const sglang = (args: readonly string[], fields: object = {}) => ({
  name: "engine",
  image: "lmsysorg/sglang:v0.5.23",
  command: ["python3", "-m", "sglang.launch_server"],
  args: ["--model-path", "m", ...args],
  ...fields,
});
const image = (tag: string) => ({ image: `vllm/vllm-openai:${tag}` });
const env = (...names: string[]) => ({ env: names.map((name) => ({ name, value: "1" })) });
const transfer = (config: object) => [
  "--kv-transfer-config",
  JSON.stringify({ kv_role: "kv_both", ...config }),
];

const textsOf = (container: CommandLine) =>
  Array.from(releaseFaults(container), ({ given, fix, allowed }) => `${given}; ${allowed}. ${fix}`);

describe("releaseFaults", () => {
  it.each<[title: string, container: CommandLine, ...found: RegExp[]]>([
    [
      "a removed option",
      vllm(["--disable-log-requests"]),
      /set --disable-log-requests.*vLLM 0\.32\.0 does not have.*--enable-log-requests/,
    ],
    [
      "an option in the spelling with underscores",
      vllm(["--swap_space=4"]),
      /set --swap_space.*preempted/,
    ],
    ["the option of another engine", vllm(["--enable-metrics"]), /an option of SGLang/],
    ["a misspelled option", vllm(["--max-modl-len", "4096"]), /Did you mean --max-model-len/],
    [
      "an option with its words in another order",
      vllm(["--max-len-model", "4096"]),
      /Did you mean --max-model-len/,
    ],
    [
      "an option of a later release",
      vllm(["--monokernel"]),
      /vLLM has --monokernel since 0\.33\.0/,
    ],
    [
      "an option of an earlier release",
      vllm(["--calculate-kv-scales"]),
      /has --calculate-kv-scales up to 0\.27\.1/,
    ],
    [
      "an offload by a setting of an earlier release",
      vllm([
        "--kv-transfer-config",
        '{"kv_connector":"OffloadingConnector","kv_role":"kv_both","kv_connector_extra_config":{"num_cpu_blocks":9}}',
      ]),
      /without cpu_bytes_to_use, which vLLM 0\.32\.0 requires.*instead of num_cpu_blocks/,
    ],
    ["a key of an unknown option", vllm(["--speculator.model", "x"]), /set --speculator\.model/],
    ["a SGLang option of an earlier release", sglang(["--stream-output"]), /up to 0\.5\.19/],
    [
      "a value",
      vllm(["--distributed-executor-backend", "nccl"]),
      /external_launcher, mp, ray or uni/,
    ],
    [
      "a value that is replaced",
      vllm(["--all2all-backend", "pplx"]),
      /replaces by allgather_reducescatter/,
    ],
    [
      "two values",
      vllm(["--quantization=fp4", "--dtype", "fp16"]),
      /--quantization fp4.*Set --quantization fp8/,
      /--dtype fp16/,
    ],
    [
      "a value of a later release",
      vllm(["--all2all-backend", "moonep"], image("v0.26.0")),
      /since 0\.31\.0/,
    ],
    [
      "a value of SGLang",
      sglang(["--attention-backend", "flashatention"]),
      /--attention-backend flashatention/,
    ],
    ["a parser", vllm(["--tool-call-parser", "hermse"]), /Set --tool-call-parser hermes/],
    [
      "a connector",
      vllm(transfer({ kv_connector: "SharedStorageConnector" })),
      /connector SharedStorageConnector.*ExampleConnector/,
    ],
    [
      "a connector of several",
      vllm(
        transfer({
          kv_connector: "MultiConnector",
          kv_connector_extra_config: { connectors: [{ kv_connector: "LMCacheConnector" }] },
        }),
      ),
      /LMCacheConnectorV1/,
    ],
    ["a variable", vllm([], env("VLLM_LOGING_LEVEL")), /Did you mean VLLM_LOGGING_LEVEL/],
    ["a removed variable", vllm([], env("VLLM_USE_V1", "HF_HOME")), /set the variable VLLM_USE_V1/],
    [
      "a variable that an option replaces",
      vllm([], env("VLLM_ATTENTION_BACKEND")),
      /VLLM_ATTENTION_BACKEND.*Set --attention-backend\./,
    ],
    [
      "underscores for an unknown release of SGLang",
      sglang(["--reasoning_parser", "kimi_k2"], { image: "lmsysorg/sglang:v0.5.5" }),
      /set --reasoning_parser.*Set --reasoning-parser\./,
    ],
    ["underscores for SGLang", sglang(["--tp_size=2"]), /Did you mean --tp-size\?/],
    [
      "hyphens for TensorRT-LLM",
      {
        name: "e",
        image: "nvcr.io/nvidia/tensorrt-llm/release:1.2.0",
        command: ["trtllm-serve", "m", "--max-batch-size", "8"],
      },
      /set --max-batch-size.*Set --max_batch_size\./,
    ],
    [
      "a refused key of speculation",
      vllm(["--speculative-config", '{"model":"d","tensor_parallel_size":1}'], image("nightly")),
      /tensor_parallel_size.*draft_tensor_parallel_size/,
    ],
    [
      "a refused key of speculation with a point",
      vllm(["--speculative-config.tensor_parallel_size", "1"]),
      /Rename the key to draft_tensor_parallel_size/,
    ],
    [
      "a connector without a role",
      vllm(["--kv-transfer-config", '{"kv_connector":"NixlConnector"}']),
      /set kv_connector in --kv-transfer-config without kv_role.*Add kv_role/,
    ],
    [
      "tool choice without a parser",
      vllm(["--enable-auto-tool-choice"], image("nightly")),
      /set --enable-auto-tool-choice without --tool-call-parser/,
    ],
    ["a variable of SGLang", sglang([], env("SGLANG_NO_SUCH_THING")), /SGLANG_NO_SUCH_THING/],
  ])("reports %s", (_, container, ...found) => {
    const texts = textsOf(container);
    expect(texts).toHaveLength(found.length);
    for (const [at, pattern] of found.entries()) expect(texts[at]).toMatch(pattern);
  });

  const trtllm = (option: string, value: string) => ({
    ...{ name: "e", image: "nvcr.io/nvidia/tensorrt-llm/release:1.2.0" },
    command: ["trtllm-serve", "m", option, value],
  });
  const range = "a number of more than 0 and at most 1";
  const whole = "a whole number of at least 1";

  it.each<[option: string, value: string, allowed: string]>([
    ["--gpu-memory-utilization", "1.5", range],
    ["--gpu-memory-utilization", "90", range],
    ["--gpu-memory-utilization", "0", range],
    ["--gpu-memory-utilization", "90%", range],
    ["--gpu_memory_utilization", "-0.5", range],
    ["--max-num-seqs", "0", whole],
    ["--max-num-seqs", "2.5", whole],
    ["-tp", "0", whole],
    ["--tensor-parallel-size", "two", whole],
    ["--max-num-batched-tokens", "0", whole],
    ["--max-model-len", "-2", "a whole number of at least -1"],
    ["--max-model-len", "long", "a whole number of at least -1"],
    ["--block-size", "7", "a whole number of more than 0 and a multiple of 16"],
    ["--cpu-offload-gb", "-1", "a number of at least 0"],
    ["--port", "70000", "a whole number of at least 1 and at most 65535"],
    ["--speculative-config", "{'method':'ngram'}", "JSON"],
    ["--speculative-config", "ngram", "JSON"],
    ["--kv-transfer-config", '{"kv_connector":"NixlConnector",}', "JSON"],
    ["--hf-overrides", "{rope: 1}", "JSON"],
    ["--limit-mm-per-prompt", "{image: 1}", "JSON"],
    ["--compilation-config", "{mode}", "JSON"],
  ])("reports the value of vLLM's %s %s for any release", (option, value, allowed) => {
    for (const tag of ["v0.32.0", "v0.11.0", "nightly"])
      expect(textsOf(vllm([option, value], image(tag)))).toEqual([
        expect.stringMatching(new RegExp(`which vLLM does not accept; ${allowed}\\.`)),
      ]);
  });

  it.each<[container: CommandLine, allowed: string]>([
    [sglang(["--mem-fraction-static=1.3"]), "a number of more than 0 and less than 1"],
    [sglang(["--max-running-requests", "0"]), whole],
    [sglang(["--tp", "x"]), whole],
    [sglang(["--chunked-prefill-size", "8.5"]), "a whole number"],
    [sglang(["--json-model-override-args", "{a}"]), "JSON"],
    [trtllm("--kv_cache_free_gpu_memory_fraction", "1.1"), range],
    [trtllm("--max_batch_size", "0"), whole],
  ])("reports a value that another engine does not accept: %j", (container, allowed) => {
    expect(textsOf(container)).toEqual([
      expect.stringMatching(new RegExp(`does not accept; ${allowed}\\.`)),
    ]);
  });

  it.each<[string, string]>([
    ["--gpu-memory-utilization", "1"],
    ["--gpu-memory-utilization", ".9"],
    ["--gpu-memory-utilization", "$(SHARE)"],
    ["--max-model-len", "auto"],
    ["--max-model-len", "-1"],
    ["--max-model-len", "25.6k"],
    ["--max-num-batched-tokens", "8K"],
    ["--block-size", "128"],
    ["--seed", "None"],
    ["--cpu-offload-gb", "0"],
    ["--limit-mm-per-prompt", "image=2"],
    ["--limit-mm-per-prompt", '{"image":2}'],
    ["--compilation-config", "3"],
    ["--compilation-config", '{"max_cudagraph_capture_size": 2k, "mode": 3}'],
    ["--hf-overrides.rope_parameters.factor", "2"],
  ])("reports nothing for vLLM's %s %s", (option, value) => {
    expect(textsOf(vllm([option, value]))).toEqual([]);
  });

  it.each<[title: string, container: CommandLine]>([
    ["tool choice with a parser", vllm(["--enable-auto-tool-choice", "--tool-call-parser=hermes"])],
    ["switched-off tool choice", vllm(["--no-enable-auto-tool-choice"])],
    [
      "abbreviated options",
      vllm(["--tensor-parallel", "2", "--no-enable-prefix-caching", "-tp=2"]),
    ],
    [
      "keys of JSON options",
      vllm(["--speculative-config.method", "ngram", "--hf-overrides.x.y", "1"]),
    ],
    [
      "underscores for an unknown release of vLLM",
      vllm(["--reasoning_parser", "kimi_k2"], image("nightly")),
    ],
    ["the key of a draft's size", vllm(["--speculative-config.draft_tensor_parallel_size", "1"])],
    ["an unknown release", vllm(["--no-such-option"], image("nightly"))],
    ["a release candidate", vllm(["--no-such-option"], image("v0.33.0rc2"))],
    ["a value in a variable", vllm(["--quantization", "$(Q)"])],
    ["a class as a value", vllm(["--distributed-executor-backend", "my.module.Executor"])],
    ["no value", vllm(["--quantization", "None"])],
    [
      "values that a plugin registers",
      vllm(["--tool-call-parser", "mine", "--tool-parser-plugin", "/p.py"]),
    ],
    [
      "a connector of a module",
      vllm(transfer({ kv_connector: "Mine", kv_connector_module_path: "mine" })),
    ],
    [
      "variables of the command itself",
      vllm([], {
        ...env("VLLM_ARGS"),
        command: ["sh", "-c", "exec vllm serve m $VLLM_ARGS"],
        args: undefined,
      }),
    ],
    ["malformed fields", vllm([], { env: [null, 4, { name: 5 }] })],
    ["another engine", { name: "e", image: "engine:1", args: ["--x"] }],
    [
      "hardware plugins",
      {
        name: "e",
        image: "quay.io/ascend/vllm-ascend:v0.30.0",
        command: ["vllm", "serve", "m", "--ascend-x"],
      },
    ],
  ])("reports nothing for %s", (_, container) => {
    expect(textsOf(container)).toEqual([]);
  });
});
