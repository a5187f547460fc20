import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { ablations } from "./ablations.ts";

it.each(ablations)("the ablation of $term finds its text once in $file", ({ file, from, to }) => {
  const source = readFileSync(new URL(`../../../scheduling/${file}`, import.meta.url), "utf8");
  expect(source.split(from)).toHaveLength(2);
  expect(to).not.toBe(from);
});
