import { expect, it } from "vitest";
import type { Case, Measurement } from "./cases.ts";
import { tableOf } from "./table.ts";

const measured = (microseconds: number, failures = 0): Measurement => ({
  cores: 0.5,
  microseconds,
  failures,
});

it("shows medians of the rounds, ratios to both fixed points and all failures", () => {
  const table = tableOf(
    { name: "pick", title: "pick only", figure: "microseconds", bar: "<= 0.6x Go" } as Case,
    new Map([
      ["echo", [measured(90), measured(110)]],
      ["go", [measured(900), measured(200), measured(210)]],
      ["ours", [measured(105, 2), measured(105, 1)]],
    ]),
  );
  const rows = table.split("\n").map((line) => line.trim().split(/\s{2,}/));
  expect(rows.slice(-3)).toEqual([
    ["echo", "100", "0.50", "0.48x", "1.00x", "0"],
    ["go", "210", "0.50", "1.00x", "2.10x", "0"],
    ["ours", "105", "0.50", "0.50x", "1.05x", "3"],
  ]);
});
