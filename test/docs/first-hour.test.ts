import { expect, it } from "vitest";
import { stringify } from "yaml";
import { folderOf, run } from "../../cli/sample.fixture.ts";
import { pageText } from "./markdown.ts";

/** The traps quoted in docs/first-hour.md match the output of the command line. */

const container = (args: readonly string[], image = "vllm/vllm-openai:v0.12.0") => ({
  spec: { containers: [{ name: "engine", image, args }] },
});
const vllm = container(["--model", "Qwen/Qwen3-8B"]);
const worker = { name: "inference", componentType: "worker", template: vllm };
const router = { name: "router", componentType: "router" };
const picker = (config: object) => ({ ...router, endpointPickerConfig: stringify(config) });
const sglang = ["--model-path", "deepseek-ai/DeepSeek-R1", "--tp-size", "16"];
const launch = ["python3", "-m", "sglang.launch_server"];
const serviceOf = (...roles: object[]) =>
  stringify({
    apiVersion: "fusioninfer.io/v1alpha1",
    kind: "InferenceService",
    metadata: { name: "trap" },
    spec: { roles },
  });

it.each([
  [
    "a pair without a transfer",
    serviceOf(
      { name: "prefill", componentType: "prefiller", template: vllm },
      { name: "decode", componentType: "decoder", template: vllm },
    ),
    "start vLLM without --kv-transfer-config; allowed: a KV cache transfer",
  ],
  [
    "a plugin that nobody knows",
    serviceOf(
      worker,
      picker({
        apiVersion: "inference.networking.x-k8s.io/v1alpha1",
        kind: "EndpointPickerConfig",
        plugins: [{ type: "no-such-scorer" }],
        schedulingProfiles: [{ name: "default", plugins: [] }],
      }),
    ),
    "plugins[0]: type no-such-scorer is unknown; known types",
  ],
  [
    "a gateway of a type that nobody knows",
    serviceOf(worker, { ...router, gateway: { type: "isto", gatewayClassName: "istio" } }),
    'is "isto"; allowed: generic, istio, gke,',
  ],
  [
    "SGLang's address",
    serviceOf({
      ...worker,
      multinode: { nodeCount: 2 },
      template: {
        spec: {
          containers: [
            {
              ...container(sglang, "lmsysorg/sglang:v0.5.3").spec.containers[0],
              command: launch,
              resources: { limits: { "nvidia.com/gpu": "8" } },
            },
          ],
        },
      },
    }),
    "127.0.0.1",
  ],
])("%s", async (_, document, quote) => {
  using folder = folderOf({ "service.yaml": document });
  const ran = await run(["render", `${folder.path}/service.yaml`]);
  expect(ran).toMatchObject({ code: 1, out: "" });
  expect(ran.err).toContain(quote);
  expect(pageText("docs/first-hour.md")).toContain(quote);
});

it("check of an empty file fails with the documented error", async () => {
  using folder = folderOf({ "empty.yaml": "" });
  const ran = await run(["check", `${folder.path}/empty.yaml`]);
  expect(ran.code).toBe(2);
  expect(ran.err).toContain("no Kubernetes objects found");
  expect(pageText("docs/first-hour.md")).toContain("no Kubernetes objects found");
});
