import { Graph as Layout, layout } from "@dagrejs/dagre";
import type { Graph, GraphNode } from "../../sdk/graph/graph.ts";
import { line, rectangle, svgFile, text, textWidth } from "./svg.ts";

const padding = 12;
const lineHeight = 16;
const boldSize = 12;
const size = 11;

/** Returns the objects of a plan and the traffic between them as an SVG file. */
export function graphPicture({ nodes, edges, groups }: Graph, title: string): string {
  const placed = new Layout({ compound: true, multigraph: true });
  placed.setGraph({ ranksep: 40, nodesep: 28, marginx: 24, marginy: 24 });
  for (const node of nodes) placed.setNode(node.id, sizeOf(node));
  for (const { id, nodes: members } of groups) {
    placed.setNode(id, {});
    // Without traffic between them, the members of a group are below each other.
    for (const [at, member] of members.entries()) {
      placed.setParent(member, id);
      if (at > 0) placed.setEdge(members[at - 1] as string, member, {}, "order");
    }
  }
  for (const { from, to, label } of edges)
    placed.setEdge(from, to, { width: textWidth(label, size), height: lineHeight }, nameOf(label));
  layout(placed);
  const { width = 0, height = 0 } = placed.graph();
  return svgFile({
    title,
    description: describe({ nodes, edges, groups }),
    width,
    height,
    elements: [
      ...groups.flatMap(({ id, title: heading }) => {
        const box = boxOf(id);
        return [rectangle("frame", box), text("muted", box.x + padding, box.y + 14, heading)];
      }),
      ...edges.map(({ from, to, label, isControl }) =>
        line(
          isControl ? "edge control" : "edge",
          placed.edge(from, to, nameOf(label)).points.map(({ x, y }: Place) => [x, y] as const),
        ),
      ),
      ...nodes.flatMap((node) => {
        const box = boxOf(node.id);
        return [
          rectangle("box", box),
          ...linesOf(node).map(([style, content], at) =>
            text(style, box.x + padding, box.y + 19 + lineHeight * at, content),
          ),
        ];
      }),
      ...edges.flatMap(({ from, to, label }) => {
        const { x, y } = placed.edge(from, to, nameOf(label));
        return label === "" ? [] : [text("muted halo middle", x, y + 4, label)];
      }),
    ],
  });

  function boxOf(id: string) {
    const { x, y, width, height } = placed.node(id);
    return { x: x - width / 2, y: y - height / 2, width, height };
  }
}

/** The layout does not find an edge with an empty name. */
const nameOf = (label: string) => `edge ${label}`;

interface Place {
  readonly x: number;
  readonly y: number;
}

const linesOf = ({ kind, name, facts }: GraphNode) =>
  [
    ["muted", kind] as const,
    ["strong", name] as const,
    ...facts.map((fact) => ["muted", fact] as const),
  ].filter(([, content]) => content !== "");

function sizeOf(node: GraphNode) {
  const lines = linesOf(node);
  const widths = lines.map(([style, content]) =>
    style === "strong" ? textWidth(content, boldSize, true) : textWidth(content, size),
  );
  return { width: Math.max(...widths) + 2 * padding, height: lines.length * lineHeight + padding };
}

/** Describes a graph as text: `Client to Gateway chat-gateway: HTTP. ...` */
function describe({ nodes, edges, groups }: Graph): string {
  const names = new Map(nodes.map(({ id, kind, name }) => [id, `${kind} ${name}`.trim()]));
  return [
    ...edges.map(({ from, to, label }) => {
      const way = `${names.get(from)} to ${names.get(to)}`;
      return label === "" ? way : `${way}: ${label}`;
    }),
    ...groups.map(
      ({ title, nodes: members }) => `${title}: ${members.map((id) => names.get(id)).join(", ")}`,
    ),
  ]
    .map((sentence) => `${sentence}.`)
    .join(" ");
}
