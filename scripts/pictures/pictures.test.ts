import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { textWidth } from "../../sdk/drawing/svg.ts";
import { repositoryRoot } from "../../testing/repository.ts";
import { elementsOf } from "../../testing/xml-elements.ts";
import { benchmarkPlots } from "./benchmark-plots.ts";
import { pictures } from "./index.ts";
import { numberOf, rowOf, tableOf } from "./markdown-table.ts";

const page = readFileSync(join(repositoryRoot, "docs/benchmarks.md"), "utf8");

describe("a picture of the documentation", () => {
  const all = [...pictures(repositoryRoot)];

  it.each(all)(
    "%s is well-formed, has a title and a description, and keeps texts inside",
    (_path, svg) => {
      const [root, title, description, ...elements] = elementsOf(svg);
      expect(title?.text).not.toBe("");
      expect(description?.text).not.toBe("");
      expect(elements.map(({ name }) => name)).not.toContain("script");
      const width = Number(root?.attributes.width);
      for (const { name, attributes, text } of elements) {
        if (name !== "text") continue;
        const classes = attributes.class ?? "";
        const length = classes.includes("head")
          ? textWidth(text, 15, true)
          : textWidth(text, classes.includes("muted") ? 11 : 12, classes.includes("strong"));
        const x = Number(attributes.x);
        const start = classes.includes("end")
          ? x - length
          : classes.includes("middle")
            ? x - length / 2
            : x;
        expect(start).toBeGreaterThanOrEqual(0);
        expect(start + length).toBeLessThanOrEqual(width);
      }
    },
  );

  it("every picture is shown by a page, under its path", () => {
    const pages = ["README.md", "docs/architecture.md", "docs/gangs.md", "docs/benchmarks.md"]
      .map((path) => readFileSync(join(repositoryRoot, path), "utf8"))
      .join("\n");
    for (const [path] of all) expect(pages).toContain(`(${path.replace(/^docs\//, "")})`);
  });
});

describe("a plot of the benchmarks", () => {
  it("changes with the figures of its table", () => {
    const changed = page.replace("| 165 | 467 | 188 |", "| 165 | 467 | 389 |");
    const [before, after] = [page, changed].map((each) =>
      benchmarkPlots(each).get("cpu-per-request.svg"),
    );
    expect(before).toContain(">188<");
    expect(after).toContain(">389<");
    expect(after).not.toContain(">188<");
  });

  it("has bars in proportion to the figures", () => {
    const rects = elementsOf(benchmarkPlots(page).get("memory-of-models.svg") ?? "").filter(
      ({ attributes }) => attributes.class === "s0",
    );
    const widths = rects.map(({ attributes }) => Number(attributes.width));
    const [whole = 0] = widths;
    expect(widths.map((width) => Math.round((100 * width) / whole))).toEqual([100, 100, 71, 78]);
  });

  it("fails if a table, a column or a row is missing", () => {
    expect(() => tableOf(page, "## Plan", ["replicas", "no such column"])).toThrow(
      "no table below",
    );
    expect(() => tableOf(page, "## No such heading", ["ms"])).toThrow("no table below");
    const rows = tableOf(page, "## Plan", ["replicas", "ms"]);
    expect(numberOf(rowOf(rows, "1,000").ms)).toBe(2.9);
    expect(() => rowOf(rows, "7")).toThrow('no row "7"');
    expect(numberOf("34 / lost")).toBeNaN();
  });
});
