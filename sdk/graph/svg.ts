import { line, rectangle, svgFile, text, titled } from "../drawing/svg.ts";
import type { Graph } from "./graph.ts";
import { layOut, type PlacedEdge, type PlacedGroup, type PlacedNode } from "./layout.ts";

/** Returns a graph as an SVG file. */
export function formatSvg(graph: Graph, title: string): string {
  const { width, height, nodes, groups, edges } = layOut(graph);
  return svgFile({
    ...{ title, width, height },
    description: describe(graph),
    elements: [
      ...groups.flatMap(groupElements),
      ...edges.map(edgeLine),
      ...nodes.map(nodeElement),
      ...edgeLabels(edges),
    ],
  });
}

const groupElements = ({ title, box, titleY }: PlacedGroup): string[] => [
  rectangle("frame", box),
  text("muted", box.x + 12, titleY, title),
];

const edgeLine = ({ edge, points }: PlacedEdge): string =>
  line(edge.isControl ? "edge control" : "edge", points);

const nodeElement = ({ node: { kind, name }, box, lines }: PlacedNode): string =>
  titled(`${kind} ${name}`.trim(), [
    rectangle("box", box),
    ...lines.map(({ className, text: content }, at) =>
      text(className, box.x + 12, box.y + 19 + 16 * at, content),
    ),
  ]);

/** Edges from one node that share a line have one common label. */
function edgeLabels(edges: readonly PlacedEdge[]): string[] {
  const labels = edges.flatMap(({ edge, label }) =>
    label === undefined
      ? []
      : [text(label.isMiddle ? "muted halo middle" : "muted halo", ...label.at, edge.label)],
  );
  return [...new Set(labels)];
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
