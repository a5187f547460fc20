import type { Graph, GraphNode } from "./graph.ts";

/** Returns a graph as a Mermaid flowchart, which GitHub and other viewers of Markdown draw. */
export function formatMermaid({ nodes, edges, groups }: Graph): string {
  const inGroups = new Set(groups.flatMap((group) => group.nodes));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return `${[
    "flowchart TB",
    ...nodes.filter(({ id }) => !inGroups.has(id)).map((node) => `  ${formatNode(node)}`),
    ...groups.flatMap(({ id, title, nodes: members }) => [
      `  subgraph ${id}["${escaped(title)}"]`,
      ...members.flatMap((member) => {
        const node = byId.get(member);
        return node === undefined ? [] : [`    ${formatNode(node)}`];
      }),
      "  end",
    ]),
    ...edges.map(({ from, to, label, isControl }) => {
      const arrow = isControl ? "-.->" : "-->";
      return `  ${from} ${label === "" ? arrow : `${arrow}|"${escaped(label)}"|`} ${to}`;
    }),
  ].join("\n")}\n`;
}

/** Labels contain at least a space, because the grammar has no empty labels. */
const formatNode = ({ id, kind, name, facts }: GraphNode) => {
  const lines = [kind, name, ...facts].filter((line) => line !== "").map(escaped);
  return `${id}["${lines.join("<br/>") || " "}"]`;
};

/** Returns text for use inside quotes: characters with a meaning in Mermaid, HTML or Markdown become their codes. */
const escaped = (text: string) =>
  text.replaceAll(/[^\p{L}\p{N} _.,:/()+-]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 32 ? " " : `#${code};`;
  });
