import { expect, it } from "vitest";
import { projects, rows } from "./comparison-cells.ts";

const cells = rows.flatMap(({ topic, others }) =>
  Object.entries(others).map(([project, cell]) => ({ topic, project, ...cell })),
);

it.each(cells)("$topic of $project has sources, or is not checked", ({ text, sources }) => {
  expect(sources.length > 0).toBe(text !== "not checked");
  for (const source of sources) expect(new URL(source).protocol).toBe("https:");
});

it("every cell has the day on which its sources were read", () => {
  for (const { read } of cells) {
    expect(read).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(new Date(read).toISOString().slice(0, 10)).toBe(read);
  }
});

it("every row has a cell of every project", () => {
  for (const { others } of rows) expect(Object.keys(others)).toEqual(Object.keys(projects));
});
