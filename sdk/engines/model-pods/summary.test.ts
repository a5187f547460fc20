import { expect, it } from "vitest";
import { modelSummaries } from "../../capacity/model-summary.ts";
import { parseInferenceService } from "../../validate/inference-service.ts";

const summaries = (spec: object) =>
  modelSummaries(parseInferenceService({ metadata: { name: "s" }, spec }).spec);
const roles = [
  { name: "worker", componentType: "worker" },
  { name: "router", componentType: "router" },
];

it("modelSummaries returns the chosen sizes and the memory of each device", () => {
  const model = { name: "deepseek-ai/DeepSeek-R1" };
  const [line, ...others] = summaries({ model, accelerator: "h100-sxm", roles });
  expect(others).toEqual([]);
  expect(line).toMatch(
    /^role worker: deepseek-ai\/DeepSeek-R1 on 2 nodes of 8 H100 SXM 80 GB \(tensor parallel 8, pipeline parallel 2\): 4\d\.\d GiB of weights on each, \d+\.\d GiB of KV cache for \d+ tokens, contexts of up to 163840$/,
  );
});

it("modelSummaries returns nothing for a service with templates", () => {
  const template = { spec: { containers: [{ name: "vllm", image: "vllm/vllm-openai:v0.32.0" }] } };
  expect(summaries({ roles: [{ ...roles[0], template }] })).toEqual([]);
});
