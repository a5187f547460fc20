import { readFileSync } from "node:fs";
import { join } from "node:path";
import { benchmarkPlots } from "./benchmark-plots.ts";
import { quickstartGraph } from "./quickstart-graph.ts";
import { scaleUnits } from "./scale-units.ts";

/** Returns the pictures of the documentation, by path from the root. */
export function pictures(root: string): Map<string, string> {
  const benchmarks = readFileSync(join(root, "docs/benchmarks.md"), "utf8");
  return new Map([
    ["docs/images/quickstart.svg", quickstartGraph()],
    ["docs/images/scale-units.svg", scaleUnits()],
    ...[...benchmarkPlots(benchmarks)].map(
      ([name, svg]) => [`docs/images/benchmarks/${name}`, svg] as const,
    ),
  ]);
}
