import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repositoryRoot } from "../../testing/repository.ts";
import { elementsOf } from "../../testing/xml-elements.ts";
import { benchmarkPlots } from "./benchmark-plots.ts";
import { pictures } from "./index.ts";
import { numberOf, rowOf, tableOf } from "./markdown-table.ts";
import { textWidth } from "./svg.ts";

const page = readFileSync(join(repositoryRoot, "docs/benchmarks.md"), "utf8");

describe("a picture of the documentation", () => {
  const all = [...pictures(repositoryRoot), ...dashboards()];

  it.each(all)(
    "%s is well-formed, has a title and a description, and contains its texts within its width",
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

  it("is shown on a page by its path", () => {
    const pages = [
      "README.md",
      "docs/architecture.md",
      "docs/scaling.md",
      "docs/benchmarks.md",
      "docs/dashboards.md",
    ]
      .map((path) => readFileSync(join(repositoryRoot, path), "utf8"))
      .join("\n");
    for (const [path] of all) expect(pages).toContain(`(${path.replace(/^docs\//, "")})`);
  });
});

/** Returns the pictures that test/observability/dashboards.test.ts draws and compares, by path from the root. */
function dashboards(): [string, string][] {
  const folder = "docs/images/dashboards";
  return readdirSync(join(repositoryRoot, folder)).map((name) => [
    `${folder}/${name}`,
    readFileSync(join(repositoryRoot, folder, name), "utf8"),
  ]);
}

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

  it.each([...benchmarkPlots(page)])("%s has bars in proportion to their labels", (_name, svg) => {
    let whole = 0;
    let bars: Array<readonly [width: number, value: number]> = [];
    const panels = [bars];
    for (const { attributes, text } of elementsOf(svg)) {
      const { class: kind = "", width } = attributes;
      if (kind === "strong") {
        bars = [];
        panels.push(bars);
      }
      if (/^s\d$/.test(kind)) whole = Number(width);
      else if (kind === "muted" && whole > 0) {
        bars.push([whole, numberOf(text.split(" of ")[0])]);
        whole = 0;
      }
    }
    expect(panels.flat().length).toBeGreaterThan(3);
    for (const panel of panels) {
      const [width = 0, value = 1] = panel.toSorted(([a], [b]) => b - a)[0] ?? [];
      for (const [own, figure] of panel)
        expect(Math.abs(own - Math.max(1, (width * figure) / value))).toBeLessThan(0.2);
    }
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
