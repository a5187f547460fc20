import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { acceleratorNames } from "../../engines/accelerators/index.ts";
import { engines } from "../../engines/index.ts";
import { knownModels } from "../../engines/models/model-facts.ts";
import type { CardTable } from "./card-table.ts";
import { EngineCard, promptMs, stepMs } from "./engine-card.ts";
import { findCard, NoCardError, type WantedCard } from "./find-card.ts";
import { cardAccelerators, shippedCards } from "./shipped-cards.ts";

const folder = join(import.meta.dirname, "data");
const files = readdirSync(folder);
let cards: readonly EngineCard[];

beforeAll(async () => {
  cards = (await Promise.all(cardAccelerators.map(shippedCards))).flat();
});

it("every file of data is a table of an accelerator of the catalog, below 1 MB in all", () => {
  expect(files.map((file) => file.replace(".json", ""))).toEqual([...cardAccelerators].sort());
  expect(acceleratorNames).toEqual(expect.arrayContaining([...cardAccelerators]));
  const bytes = files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
  expect(bytes).toBeLessThan(1_000_000);
});

it.each(files)(
  "%s interpolates with a median error below 2.5 %%, and 90 %% below 10 %%",
  (file) => {
    const { error } = JSON.parse(readFileSync(join(folder, file), "utf8")) as CardTable;
    for (const { points, median, p90 } of Object.values(error)) {
      expect(points).toBeGreaterThan(1_000);
      expect(median).toBeLessThan(2.5);
      expect(p90).toBeLessThan(10);
    }
  },
);

it("every shipped card is valid and is of an engine that plans know", () => {
  expect(cards.length).toBeGreaterThan(2_500);
  for (const card of cards) expect(EngineCard.parse(card)).toEqual(card);
  expect(Object.keys(engines)).toEqual(
    expect.arrayContaining([...new Set(cards.map((card) => card.engine))]),
  );
});

it("more context never makes a step shorter by more than the noise of measurements", () => {
  for (const card of cards)
    for (const batch of [1, 32, 256])
      expect(stepMs(card, batch, 32_000)).toBeGreaterThan(0.9 * stepMs(card, batch, 1_000));
});

// aiconfigurator 0.12.0, cli estimate: static_ctx with 4,000 tokens, and static_gen with 4,000 tokens of context.
it("Qwen3-32B with vLLM on four H200 takes the times that aiconfigurator prints", () => {
  const wanted = { model: "Qwen/Qwen3-32B", accelerator: "h200-sxm", engine: "vllm" };
  const card = findCard(cards, { ...wanted, division: { devices: 4 } });
  expect(promptMs(card, 4_000) / 126.96).toBeCloseTo(1, 1);
  for (const [batch, ms] of [
    [1, 7.091],
    [32, 9.806],
    [64, 12.014],
  ] as const)
    expect(Math.abs(stepMs(card, batch, 4_000) / ms - 1)).toBeLessThan(0.02);
});

it.each([
  ["meta-llama/Llama-3.1-8B-Instruct", "meta-llama/Meta-Llama-3.1-8B"],
  ["Qwen/Qwen3-235B-A22B-Thinking-2507", "Qwen/Qwen3-235B-A22B"],
  ["deepseek-ai/DeepSeek-R1-0528", "deepseek-ai/DeepSeek-R1"],
])("%s has the card of %s, which computes the same", (model, base) => {
  const division = { devices: 8, experts: "tensor" } as const;
  const wanted = { model, accelerator: "h200-sxm", engine: "vllm", division };
  expect(findCard(cards, wanted).model).toBe(base);
});

it("at least 60 models of the catalog have a card for vLLM on eight H200 or on one", () => {
  const hasCard = (model: string, devices: number) => {
    const division = { devices, experts: "tensor" } as const;
    try {
      return findCard(cards, { model, accelerator: "h200-sxm", engine: "vllm", division });
    } catch {
      return undefined;
    }
  };
  const found = knownModels().filter((model) => hasCard(model, 1) ?? hasCard(model, 8));
  expect(found.length).toBeGreaterThanOrEqual(60);
});

describe("a card that is not there", () => {
  const wanted: WantedCard = {
    model: "Qwen/Qwen3-32B",
    accelerator: "h200-sxm",
    engine: "vllm",
    division: { devices: 4 },
  };
  it.each<[string, Partial<WantedCard>, string]>([
    ["of another accelerator", { accelerator: "h20" }, "Qwen/Qwen3-32B with vllm on 4 a100-sxm"],
    ["of three devices", { division: { devices: 3 } }, "Qwen/Qwen3-32B with vllm on 4 h200-sxm"],
    ["of another engine", { engine: "tensorrt-llm" }, "Qwen/Qwen3-32B with sglang on 4 h200-sxm"],
    ["of no accelerator at all", { accelerator: "__proto__" }, "Qwen/Qwen3-32B with vllm on 4"],
  ])("%s is an error that names the nearest one", (_, change, nearest) => {
    const find = () => findCard(cards, { ...wanted, ...change });
    expect(find).toThrow(NoCardError);
    expect(find).toThrow(`nearest: ${nearest}`);
  });

  it("is an error if there are no cards", () => {
    expect(() => findCard([], wanted)).toThrow("no cards are given");
  });

  it("of whole experts is not the one of divided experts", () => {
    const model = "Qwen/Qwen3-30B-A3B";
    const of = (experts: "tensor" | "expert") =>
      findCard(cards, { ...wanted, model, division: { devices: 4, experts } });
    expect(of("tensor").step).not.toEqual(of("expert").step);
  });

  it.each(["h20", "constructor"])("%s has no cards", async (accelerator) => {
    expect(await shippedCards(accelerator)).toEqual([]);
  });
});
