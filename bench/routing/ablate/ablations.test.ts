import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { type Constant, constantRows, constants } from "../../../scheduling/load-constants.ts";
import { loopNames, traceNames } from "../traces.ts";
import { neutralConstants, settings, terms } from "./ablations.ts";

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

it.each(neutralConstants)("the ablation of $term changes $constant", ({ constant, value }) => {
  expect(value).not.toBe(constants[constant]);
});

it("each ablation has a name of its own", () => {
  expect(new Set(terms).size).toBe(terms.length);
});

it.each(Object.entries<Constant>(constantRows))(
  "%s names a trace or a bench that shows it",
  (_, { shownBy }) => {
    const trace = shownBy.replace(/(, with queues|, 3 replicas)$/, "");
    const [program, name] = trace.split(" ");
    if (program === "bench") expect(read(`bench/${name}/main.ts`)).not.toBe("");
    else expect(["none", ...traceNames, ...loopNames]).toContain(trace);
  },
);

it("a list sets constants to their neutral values, or one constant to any value", () => {
  expect(settings("recompute factor,startMs=Infinity")).toMatchObject([
    { constant: "recomputeFactor", value: 1 },
    { constant: "startMs", value: Number.POSITIVE_INFINITY },
  ]);
});

it.each(["no rule", "noConstant=1", "startMs=", "startMs=x"])("a list rejects %s", (list) => {
  expect(() => settings(list)).toThrow(list);
});
