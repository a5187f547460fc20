import { describe, expect, it } from "vitest";
import { known, unknown } from "../command-line/words.ts";
import { portByCommand } from "../containers/server.ts";
import { serverOf } from "../index.ts";
import { sglang } from "../sglang/engine.ts";
import { tensorRtLlm } from "../tensorrt-llm/engine.ts";
import { vllm } from "../vllm/engine.ts";
import { groupSupportOf, vllmVersionOf } from "../vllm/images.ts";
import { type Arguments, notKnown, readArguments } from "./arguments.ts";

const readWith =
  ({ syntax }: typeof vllm) =>
  (...words: Array<string | ReturnType<typeof unknown>>): Arguments =>
    readArguments(
      words.map((word) => (typeof word === "string" ? known(word) : word)),
      syntax,
    );
const ofVllm = readWith(vllm);
const ofSglang = readWith(sglang);

describe("arguments of an engine", () => {
  it.each<[what: string, args: Arguments, option: string, value: unknown]>([
    ["the last of several", ofVllm("--port", "1", "--port", "2"), "--port", "2"],
    [
      "what follows the first equals sign",
      ofVllm("--served-model-name=a=b"),
      "--served-model-name",
      "a=b",
    ],
    ["underscores", ofVllm("--tensor_parallel_size", "4"), "--tensor-parallel-size", "4"],
    ["a short form", ofVllm("-tp", "4"), "--tensor-parallel-size", "4"],
    ["a short form with an equals sign", ofVllm("-tp=4"), "--tensor-parallel-size", "4"],
    ["an abbreviation", ofVllm("--tensor-par", "4"), "--tensor-parallel-size", "4"],
    ["an abbreviation of SGLang", ofSglang("--tp", "4"), "--tp-size", "4"],
    ["an alias", ofSglang("--tensor-parallel-size", "4"), "--tp-size", "4"],
    [
      "no ambiguous abbreviation",
      ofVllm("--data-parallel-s", "4"),
      "--data-parallel-size",
      undefined,
    ],
    ["no underscores of SGLang", ofSglang("--tp_size", "4"), "--tp-size", undefined],
    ["no abbreviation of TensorRT-LLM", readWith(tensorRtLlm)("--tp", "4"), "--tp_size", undefined],
    ["a switch", ofVllm("--headless"), "--headless", "true"],
    ["a negative switch", ofVllm("--no-enable-prefix-caching"), "--enable-prefix-caching", "false"],
    ["a negative number", ofVllm("--seed", "-1"), "--seed", "-1"],
    ["an unknown value", ofVllm("--port", unknown("$PORT", true)), "--port", notKnown],
    ["an unknown value behind an equals sign", ofVllm(unknown("--port=$P")), "--port", notKnown],
    ["an option behind an unknown value", ofVllm("--port", unknown("$P"), "-tp", "2"), "-tp", "2"],
    ["an option that an unknown word may set", ofVllm(unknown("$ARGS", true)), "--port", notKnown],
    ["a default behind a model that is not known", ofVllm(unknown("$(M)")), "--port", undefined],
    [
      "an option behind a model that may be several words",
      ofVllm(unknown("$M", true)),
      "-tp",
      notKnown,
    ],
    [
      "an option that a word in the first place may set",
      ofSglang(unknown("$(A)")),
      "--port",
      notKnown,
    ],
    ["an option that a later word may set", ofVllm("M", unknown("$(A)")), "--port", notKnown],
    ["an option that a file may set", ofVllm("--config", "c.yaml"), "--port", notKnown],
    ["an option that is not set", ofVllm("--model", unknown("$M")), "--port", undefined],
  ])("an engine reads %s", (_, args, option, value) => {
    expect(args.value(option)).toBe(value);
  });

  it("an engine finds the model behind options that take no or several values", () => {
    const args = ofVllm("--enable-lora", "--lora-modules", "a=b", "c=d", "-tp", "8", "M");
    expect(vllm.model(args)).toBe("M");
    expect(args.list("--lora-modules")).toEqual(["a=b", "c=d"]);
  });

  it("an engine merges a JSON object with the keys that are set one by one", () => {
    const args = ofVllm(
      "--kv-transfer-config",
      '{"kv_connector":"A","kv_role":"kv_both"}',
      "--kv-transfer-config.kv_connector=B",
      "--kv-transfer-config.extra.port",
      "1",
    );
    expect(args.json("--kv-transfer-config")).toEqual({
      kv_connector: "B",
      kv_role: "kv_both",
      extra: { port: 1 },
    });
    expect(ofVllm("--kv-transfer-config", "{").json("--kv-transfer-config")).toBe(notKnown);
  });
});

const image = "vllm/vllm-openai:v0.30.0";
const sh = (script: string) => ({ image, command: ["sh", "-c", script] });

it.each<[what: string, container: object, engine: string | undefined, port: unknown]>([
  ["an image", { image, args: ["--model", "m"] }, "vllm", 8000],
  ["an image and `serve`", { image, args: ["serve", "m", "--port", "9"] }, "vllm", 9],
  [
    "an image of SGLang that starts another program",
    { image: "x/mock-sglang:1" },
    undefined,
    undefined,
  ],
  ["a router's image", { image: "lmcache/vllm-router:1", args: ["--port", "9"] }, undefined, 9],
  ["Ray before it", sh("ray start --head --port=6379 && vllm serve M --port 8000"), "vllm", 8000],
  ["Ray alone", sh("ray start --address=a:6379 --port=6379 --block"), undefined, undefined],
  [
    "a leader and workers",
    sh("if x; then vllm serve M --port 9; else vllm serve M --headless; fi"),
    "vllm",
    9,
  ],
  [
    "two ports",
    sh("if x; then vllm serve M --port 9; else vllm serve M --port 8; fi"),
    "vllm",
    notKnown,
  ],
  ["another command of vLLM", sh("vllm bench serve --port 1"), undefined, 1],
  [
    "the API server's module",
    { command: ["python3", "-m", "vllm.entrypoints.openai.api_server"] },
    "vllm",
    8000,
  ],
  ["SGLang's module", { command: ["python3", "-m", "sglang.launch_server"] }, "sglang", 30000],
  [
    "SGLang's router",
    { command: ["python3", "-m", "sglang_router.launch_server"] },
    undefined,
    undefined,
  ],
  ["sglang serve", { command: ["sglang", "serve", "--port", "1"] }, "sglang", 1],
  ["TensorRT-LLM", { args: ["trtllm-serve", "M", "--tp_size", "4"] }, "tensorrt-llm", 8000],
  ["a script file", { image, command: ["bash", "/start.sh"] }, undefined, notKnown],
  ["an unknown server", { image: "x", command: ["llama-server", "--port", "1"] }, undefined, 1],
])("serverOf recognizes a server by its command: %s", (_, container, engine, port) => {
  expect(serverOf(container).engine).toBe(engine);
  expect(portByCommand(container)).toBe(port);
});

it.each<
  [image: string, version: string | undefined, mp: boolean | undefined, ray: boolean | undefined]
>([
  ["vllm/vllm-openai:v0.11.0", "0.11.0", false, true],
  ["vllm/vllm-openai:v0.11.1", "0.11.1", true, true],
  ["vllm/vllm-openai:v0.17.1", "0.17.1", true, true],
  ["vllm/vllm-openai:v0.18.0", "0.18.0", true, false],
  ["registry.corp:5000/vllm/vllm-openai:v0.30.0-x86_64@sha256:1", "0.30.0", true, false],
  ["registry.corp/team/vllm:0.30.0-with-ray", "0.30.0", true, undefined],
  ["rocm/vllm:rocm6.4.1_vllm_0.10.1_20250909", "0.10.1", false, true],
  ["vllm/vllm-tpu:v0.11.1", "0.11.1", undefined, true],
  ["quay.io/ascend/vllm-ascend:v0.11.0", "0.11.0", undefined, true],
  ["vllm/vllm-openai:latest", undefined, undefined, undefined],
  ["vllm/vllm-openai@sha256:1", undefined, undefined, undefined],
  ["nvcr.io/nvidia/vllm:25.10-py3", undefined, undefined, undefined],
  ["lmcache/vllm-openai:v0.3.9", undefined, undefined, undefined],
  ["team/vllm:0.1.7", undefined, undefined, undefined],
  ["opea/vllm-gaudi:1.22.0", undefined, undefined, undefined],
  ["repo.rebellions.ai/rebellions/vllm-rbln-rhel9:3.3", undefined, undefined, undefined],
  ["vllm/vllm-openai:v1.0.0", "1.0.0", true, false],
  ["ghcr.io/llm-d/llm-d:v0.3.0", undefined, undefined, undefined],
])(
  "vLLM's version and its support for groups follow from the image: %s",
  (image, version, mp, ray) => {
    expect(vllmVersionOf(image)?.join(".")).toBe(version);
    expect(groupSupportOf(image)).toEqual({ mp, ray });
  },
);
