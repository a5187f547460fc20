import { describe, expect, it } from "vitest";
import { type AcceleratorName, acceleratorTypes } from "../engines/accelerators/index.ts";
import { type ModelFacts, modelFacts } from "../engines/models/model-facts.ts";
import { EngineSettings, type EngineSettingsInput } from "../engines/spec/engine.ts";
import type { InferenceServiceInput } from "../index.ts";
import { planInferenceService } from "../plan/inference-service.ts";
import type { Container } from "../schemas/pod-template.ts";
import { type FitRow, fitTable } from "./fit-table.ts";

function table(
  name: string,
  accelerators: readonly AcceleratorName[],
  engine: Partial<EngineSettingsInput> = {},
  devices?: number,
) {
  const settings = EngineSettings.parse({ name: "vllm", ...engine });
  const facts = modelFacts(name) as ModelFacts;
  return fitTable({ name, facts, settings, accelerators, ...(devices && { devices }) });
}

const only = (rows: readonly FitRow[]) => {
  expect(rows).toHaveLength(1);
  return rows[0] as FitRow;
};

/** Returns the arguments, by flag, that the plan of a typed service contains. */
function plannedFlags(model: string, accelerator: string, engine: object): Map<string, string> {
  const objects = planInferenceService({
    metadata: { name: "chat" },
    spec: {
      model: { name: model },
      ...{ accelerator, engine, roles: [{ name: "worker", componentType: "worker" }] },
    },
  } as InferenceServiceInput);
  const { spec } = objects.find(({ kind }) => kind === "LeaderWorkerSet") as unknown as {
    spec: { leaderWorkerTemplate: Record<string, { spec: { containers: Container[] } }> };
  };
  const { leaderTemplate, workerTemplate } = spec.leaderWorkerTemplate;
  const args = (leaderTemplate ?? workerTemplate)?.spec.containers[0]?.args as string[];
  return new Map(args.map((flag, at) => [flag, args[at + 1] ?? ""]));
}

describe("a row of the table", () => {
  it.each<[string, AcceleratorName, EngineSettingsInput]>([
    ["Qwen/Qwen3-32B", "h100-sxm", { name: "vllm" }],
    ["Qwen/Qwen3-32B", "h100-sxm", { name: "vllm", maxModelLen: 30_000 }],
    ["Qwen/Qwen3-32B", "l4", { name: "vllm", maxModelLen: 16_384 }],
    ["deepseek-ai/DeepSeek-R1", "h100-sxm", { name: "vllm" }],
    ["openai/gpt-oss-120b", "h200-sxm", { name: "vllm", kvCacheDtype: "fp8" }],
  ])("has the sizes and context of the plan for %s on %s", (model, name, engine) => {
    const { fits, replica } = only(table(model, [name], engine));
    expect(fits).toBe(true);
    const flags = plannedFlags(model, name, engine);
    const size = (flag: string) => Number(flags.get(flag) ?? 1);
    expect(replica).toMatchObject({
      tensorParallel: size("--tensor-parallel-size"),
      pipelineParallel: size("--pipeline-parallel-size"),
    });
    // An engine without the flag takes the model's whole context.
    const context = Number(flags.get("--max-model-len") ?? modelFacts(model)?.context);
    if (engine.maxModelLen === undefined) expect(replica?.longestContext).toBe(context);
    else expect(replica?.longestContext).toBeGreaterThanOrEqual(context);
  });

  it("uses the requested number of devices", () => {
    const rows = [2, 8, 16].map((devices) =>
      only(table("Qwen/Qwen3-32B", ["h100-sxm"], {}, devices)),
    );
    expect(rows.map(({ replica }) => replica?.devices)).toEqual([2, 8, 16]);
    expect(rows.map(({ replica }) => replica?.nodes)).toEqual([1, 1, 2]);
  });

  it("keeps weights and KV cache within the memory of the device", () => {
    const { replica } = only(table("Qwen/Qwen3-32B", ["h100-sxm"]));
    const { weightsGiB = 0, kvCacheGiB = 0, concurrency8k = 0 } = replica ?? {};
    expect(weightsGiB + kvCacheGiB).toBeLessThan(acceleratorTypes["h100-sxm"].memoryGiB);
    // Qwen3-32B keeps 64 layers of 8 heads, 128 keys and 128 values in 2 bytes.
    const bytes = 8_192 * 64 * 8 * 256 * 2;
    expect(concurrency8k).toBe(Math.floor((kvCacheGiB * 2 ** 30) / bytes));
  });

  it("has no KV cache for a model that keeps no keys and values, or on CPUs", () => {
    const rows = [table("BAAI/bge-m3", ["l4"]), table("Qwen/Qwen3-8B", ["cpu"])].map(only);
    for (const { fits, replica } of rows) {
      expect(fits).toBe(true);
      expect(replica).not.toHaveProperty("kvCacheGiB");
      expect(replica).not.toHaveProperty("concurrency8k");
    }
  });

  it("notes the setting that a platform without a known image needs", () => {
    expect(only(table("Qwen/Qwen3-8B", ["tpu-v6e"]))).toMatchObject({
      fits: true,
      note: "needs engine.image",
    });
  });
});

describe("a row for a model that does not fit", () => {
  it.each<[string, readonly FitRow[], RegExp]>([
    [
      "weights that exceed the largest group",
      table("moonshotai/Kimi-K3", ["t4"]),
      /^\d+\.\d GiB of weights on each of 64 devices of 14\.6 GiB leave no memory/,
    ],
    [
      "a context that the devices do not hold",
      table("Qwen/Qwen3-32B", ["h100-sxm"], { maxModelLen: 40_960 }, 1),
      /^61\.0 GiB of weights on each of 1 devices of 79\.1 GiB leave a context of \d+ tokens, not 40960$/,
    ],
    [
      "a context that the model does not have",
      table("Qwen/Qwen3-32B", ["b300-sxm"], { maxModelLen: 100_000 }),
      /^the model supports 40960 tokens, not 100000$/,
    ],
    [
      "a number of devices that heads do not divide by",
      table("Qwen/Qwen3-32B", ["h100-sxm"], {}, 3),
      /do not divide evenly over 3 devices$/,
    ],
    [
      "a setting that the preview refuses",
      table("Qwen/Qwen3-32B", ["h100-sxm"], { name: "tensorrt-llm", kvCacheDtype: "fp8" }),
      /^engine\.kvCacheDtype is set for TensorRT-LLM/,
    ],
  ])("has the reason: %s", (_what, rows, reason) => {
    const { fits, replica, note } = only(rows);
    expect({ fits, replica }).toEqual({ fits: false });
    expect(note).toMatch(reason);
  });
});

it("rows are sorted by number of devices, then memory, with the misfits last", () => {
  const rows = table("moonshotai/Kimi-K2-Instruct", ["t4", "l4", "b300-sxm", "h200-sxm", "h20"]);
  expect(rows.map(({ accelerator, fits }) => [accelerator, fits])).toEqual([
    ["b300-sxm", true],
    ["h20", true],
    ["h200-sxm", true],
    ["l4", true],
    ["t4", false],
  ]);
});
