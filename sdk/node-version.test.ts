import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { nodeProblem, oldestNode } from "./node-version.ts";

it.each(["22.12.0", "22.19.1", "23.0.0", "24.21.0", undefined])(
  "nodeProblem accepts Node.js %s",
  (version) => {
    expect(nodeProblem(version)).toBeUndefined();
  },
);

it.each(["18.20.8", "20.19.5", "22.11.0"])(
  "nodeProblem refuses Node.js %s in one sentence",
  (version) => {
    expect(nodeProblem(version)).toContain(
      `needs Node.js 22.12 or later; this is ${version}. Install a newer Node.js`,
    );
  },
);

it("the oldest version equals engines in package.json", () => {
  const { engines } = JSON.parse(
    readFileSync(new URL("../package.json", import.meta.url), "utf8"),
  ) as { engines: { node: string } };
  expect(engines.node).toBe(`>=${oldestNode.join(".")}`);
});
