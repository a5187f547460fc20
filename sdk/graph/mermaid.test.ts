import fc from "fast-check";
import { expect, it } from "vitest";
import { arbitraryService } from "../../testing/samples/arbitrary-service.ts";
import { planInferenceService } from "../plan/inference-service.ts";
import type { Graph, GraphNode } from "./graph.ts";
import { formatMermaid } from "./mermaid.ts";
import { planGraph } from "./plan-graph.ts";

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
