import { expect, it } from "vitest";
import { parseInferenceService } from "../../validate/inference-service.ts";
import { engineWillStart } from "./engine-start-up.ts";

const service = (fields: object, role: object = {}) =>
  parseInferenceService({
    metadata: { name: "chat" },
    spec: {
      ...fields,
      roles: [{ name: "worker", componentType: "worker", ...role }],
    },
  }).spec;

const template = {
  spec: {
    containers: [
      {
        name: "vllm",
        image: "vllm/vllm-openai:v0.32.0",
        args: ["--model", "Qwen/Qwen3-32B"],
        resources: { limits: { "nvidia.com/gpu": 1 } },
      },
    ],
  },
};

const path = ["roles", 0, "template", "spec", "containers", 0, "args"];

it("a model that does not fit the service's accelerator causes a warning for a template", () => {
  const found = [...engineWillStart.check(service({ accelerator: "l4" }, { template }))];
  expect(found.map((finding) => finding.path)).toEqual([path]);
  expect(found[0]?.given).toMatch(/^load Qwen\/Qwen3-32B with 61.0 GiB of weights on each L4/);
});

it("a role's accelerator overrides the service's accelerator", () => {
  const spec = service({ accelerator: "l4" }, { template, accelerator: "h200-sxm" });
  expect([...engineWillStart.check(spec)]).toEqual([]);
});

it("a model that fits the largest device has no warning without an accelerator", () => {
  expect([...engineWillStart.check(service({}, { template }))]).toEqual([]);
});

it("a model that does not fit the largest device causes a warning without an accelerator", () => {
  const [container] = template.spec.containers;
  const large = { ...container, args: ["--model", "deepseek-ai/DeepSeek-R1"] };
  const found = [
    ...engineWillStart.check(service({}, { template: { spec: { containers: [large] } } })),
  ];
  expect(found.map((finding) => finding.path)).toEqual([path]);
  expect(found[0]?.given).toMatch(
    /^load deepseek-ai\/DeepSeek-R1 with \d+\.\d GiB of weights on each/,
  );
});

it("a service that names its model is refused instead of warned", () => {
  const typed = {
    model: { name: "Qwen/Qwen3-32B" },
    accelerator: "h100-sxm",
    engine: { name: "vllm", version: "0.7.3" },
  };
  expect(() => service(typed)).toThrow(/allowed: vLLM 0.8.4 or later for this architecture/);
  const { version: _, ...engine } = typed.engine;
  expect([...engineWillStart.check(service({ ...typed, engine }))]).toEqual([]);
});

it("a role's startup probe that is too short for the model's size is refused in a typed service", () => {
  const typed = { model: { name: "Qwen/Qwen3-32B" }, accelerator: "h100-sxm" };
  const startupProbe = { periodSeconds: 10, failureThreshold: 6 };
  const own = { spec: { containers: [{ name: "vllm", startupProbe }] } };
  expect(() => service(typed, { template: own })).toThrow(
    /66 GB of Qwen\/Qwen3-32B, but the startupProbe restarts the container after 60 s/,
  );
});
