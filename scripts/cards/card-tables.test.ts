import { expect, it } from "vitest";
import { cardsOf } from "../../sdk/simulation/cards/card-table.ts";
import { type CardPoints, cardTables, tableText } from "./card-tables.ts";

const axes = { prompts: [100, 400], batches: [1, 9], contexts: [1_000, 3_000] };
const points: CardPoints = {
  ...{ model: "m", system: "h100_sxm", engine: "vllm", version: "1" },
  ...{ devices: 4, experts: "expert", weights: "fp8", cache: "fp8" },
  prompts: [10, 20],
  steps: [
    [5, 7],
    [13.00004, 31],
  ],
  between: { prompts: [[200, 15]], steps: [[5, 2_000, 14]] },
};

it("a table has the times of each card on one line, and the errors between its points", () => {
  const { tables, leftOut } = cardTables(axes, [points], "a test");
  expect(leftOut).toEqual([]);
  const [table] = tables;
  if (table === undefined) throw new Error("a table is written");
  expect(table.error).toEqual({
    // 14.14 ms instead of 15.
    prompt: { points: 1, median: 5.7, p90: 5.7 },
    step: { points: 1, median: 0, p90: 0 },
  });
  const text = tableText(table);
  expect(JSON.parse(text)).toEqual(table);
  expect(text).toContain('"4e": [10,20,5,7,13,31]\n');
  expect(cardsOf(table)).toMatchObject([
    { model: "m", accelerator: "h100-sxm", division: { devices: 4, experts: "expert" } },
  ]);
});

it("a card whose times between its points are wrong is left out", () => {
  const between: CardPoints["between"] = { ...points.between, steps: [[5, 2_000, 17]] };
  const wrong = { ...points, model: "w", between };
  const { tables, leftOut } = cardTables(axes, [points, wrong], "a test");
  expect(leftOut).toEqual(["w vllm 4e h100-sxm"]);
  expect(tables.flatMap(cardsOf).map(({ model }) => model)).toEqual(["m"]);
});

it("a time that is no number is refused", () => {
  const broken = { ...points, prompts: [10, Number.NaN] };
  expect(() => cardTables(axes, [broken], "a test")).toThrow();
});

it("a system without an accelerator of the catalog is refused", () => {
  expect(() => cardTables(axes, [{ ...points, system: "b60" }], "a test")).toThrow("b60");
});
