import fc from "fast-check";
import { expect, it } from "vitest";
import { arbitraryService } from "../../testing/arbitrary-service.ts";
import { elementsOf } from "../../testing/xml-elements.ts";
import { textWidth } from "../drawing/svg.ts";
import { planInferenceService } from "../plan/inference-service.ts";
import type { Graph, GraphNode } from "./graph.ts";
import { formatMermaid } from "./mermaid.ts";
import { planGraph } from "./plan-graph.ts";
import { formatSvg } from "./svg.ts";

/** Graphs of plans with arbitrary texts, because names of other tools' objects are not checked. */
const anyGraph: fc.Arbitrary<Graph> = fc
  .tuple(
    arbitraryService,
    fc.array(fc.string({ unit: "binary", maxLength: 300 }), { minLength: 1 }),
  )
  .map(([input, texts]) => {
    const graph = planGraph(planInferenceService(input));
    const rename = (node: GraphNode, at: number) =>
      at % 2 === 0 ? node : { ...node, name: texts[at % texts.length] as string };
    return { ...graph, nodes: graph.nodes.map(rename) };
  });

/** The subset of Mermaid's flowchart grammar that is written. */
const text = String.raw`"(?:[\p{L}\p{N} _.,:/()+-]|#\d+;|<br/>)+"`;
const statements = [
  /^flowchart TB$/,
  new RegExp(String.raw`^ +n\d+\[${text}\]$`, "u"),
  new RegExp(String.raw`^ +subgraph g\d+\[${text}\]$`, "u"),
  /^ +end$/,
  new RegExp(String.raw`^ +n\d+ -\.?->?(?:\|${text}\|)? n\d+$`, "u"),
];

it("formatMermaid writes only valid statements, with every name of the graph", () => {
  fc.assert(
    fc.property(anyGraph, (graph) => {
      const written = formatMermaid(graph).trimEnd().split("\n");
      expect(written.filter((each) => !statements.some((form) => form.test(each)))).toEqual([]);
      expect(written.filter((each) => each.includes("subgraph")).length).toBe(graph.groups.length);
      const read = written
        .join("\n")
        .replaceAll(/#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)));
      for (const { name } of graph.nodes)
        expect(read).toContain(name.replaceAll(/\p{Cc}/gu, (each) => (each < " " ? " " : each)));
    }),
  );
});

it("formatSvg writes well-formed XML with a title, a description and no script", () => {
  fc.assert(
    fc.property(anyGraph, fc.string({ unit: "binary" }), (graph, title) => {
      const elements = elementsOf(formatSvg(graph, title));
      const names = elements.map(({ name }) => name);
      expect(names.slice(0, 3)).toEqual(["svg", "title", "desc"]);
      expect(names).not.toContain("script");
      expect(names.filter((name) => name === "g").length).toBe(graph.nodes.length);
    }),
  );
});

it("no text of a node is wider than its box, and no box is outside the picture", () => {
  fc.assert(
    fc.property(anyGraph, (graph) => {
      const elements = elementsOf(formatSvg(graph, "any"));
      const { width, height } = numbersOf(elements[0]);
      let box = { x: 0, y: 0, width: 0, height: 0 };
      for (const element of elements) {
        const { name, attributes } = element;
        const { class: kind = "" } = attributes;
        const at = numbersOf(element);
        if (name === "rect" && (kind === "box" || kind === "frame")) {
          box = at;
          expect(at.x).toBeGreaterThanOrEqual(0);
          expect(at.y).toBeGreaterThanOrEqual(0);
          expect(at.x + at.width).toBeLessThanOrEqual(width);
          expect(at.y + at.height).toBeLessThanOrEqual(height);
        }
        if (name !== "text" || kind.includes("halo")) continue;
        const isStrong = kind === "strong";
        const right = at.x + textWidth(element.text, isStrong ? 12 : 11, isStrong);
        expect(right).toBeLessThanOrEqual(box.x + box.width);
        expect(at.y).toBeLessThanOrEqual(box.y + box.height);
      }
    }),
  );
});

it("boxes of a picture do not overlap", () => {
  fc.assert(
    fc.property(anyGraph, (graph) => {
      const boxes = elementsOf(formatSvg(graph, "any"))
        .filter(({ attributes }) => attributes.class === "box")
        .map(numbersOf);
      for (const [at, a] of boxes.entries())
        for (const b of boxes.slice(at + 1)) {
          const apart =
            a.x + a.width <= b.x ||
            b.x + b.width <= a.x ||
            a.y + a.height <= b.y ||
            b.y + b.height <= a.y;
          expect(apart).toBe(true);
        }
    }),
  );
});

const numbersOf = (element: { attributes: Readonly<Record<string, string>> } | undefined) => {
  const { x = "0", y = "0", width = "0", height = "0" } = element?.attributes ?? {};
  return { x: Number(x), y: Number(y), width: Number(width), height: Number(height) };
};
