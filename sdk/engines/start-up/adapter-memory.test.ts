import { describe, expect, it } from "vitest";
import { adapterBytes } from "../memory/adapter-memory.ts";
import { modelFacts } from "../models/model-facts.ts";
import { engineFaults } from "./engine-faults.ts";

const factsOf = (name: string) => {
  const facts = modelFacts(name);
  if (facts === undefined) throw new Error(`${name} is not in the catalog`);
  return facts;
};

describe("adapterBytes", () => {
  const model = factsOf("Qwen/Qwen3-32B");
  const slots = { slots: 64, rank: 256 };

  it("counts both matrices of every linear layer for each slot", () => {
    expect(adapterBytes(model, {}, slots)).toBe(64 * 131_072 * 64 * 256 * 2);
  });

  it("divides one matrix of each layer over the ranks, and layers over the stages", () => {
    const whole = adapterBytes(model, {}, slots);
    const kept = 64 * 7 * 5120 * 64 * 256 * 2;
    expect(adapterBytes(model, { tensor: 8 }, slots)).toBe(kept + (whole - kept) / 8);
    expect(adapterBytes(model, { pipeline: 2 }, slots)).toBe(whole / 2);
  });
});

const kindsOf = (image: string, model: string, args: string[]) => {
  const engine = {
    name: "engine",
    image: `vllm/vllm-openai:${image}`,
    args: ["--model", model, ...args],
    resources: { limits: { "nvidia.com/gpu": 8 } },
  };
  const context = { pods: 2, accelerator: undefined };
  return [...engineFaults(engine, { containers: [engine] } as never, context)].map(
    ({ kind }) => kind,
  );
};

describe("a draft model with pipeline stages", () => {
  const stages = ["--tensor-parallel-size", "8", "--pipeline-parallel-size", "2"];
  const mtp = ["--speculative-config", '{"method":"mtp","num_speculative_tokens":5}'];
  it.each([
    ["v0.26.0", "zai-org/GLM-5.2-FP8", [...stages, ...mtp], ["draft-stages"]],
    ["v0.30.0", "zai-org/GLM-5.2-FP8", [...stages, ...mtp], []],
    ["v0.26.0", "zai-org/GLM-5.2-FP8", ["--tensor-parallel-size", "8", ...mtp], []],
    ["v0.26.0", "zai-org/GLM-5.2-FP8", stages, []],
    ["latest", "zai-org/GLM-5.2-FP8", [...stages, ...mtp], []],
  ])("in vLLM %s for %s %j has the faults %j", (image, model, args, kinds) => {
    expect(kindsOf(image, model, args)).toEqual(kinds);
  });
});
