import { type Point, type Rectangle, shortened, textWidth } from "../drawing/svg.ts";
import type { Graph, GraphEdge, GraphNode } from "./graph.ts";

/** A node's box and the lines of text in it. */
export interface PlacedNode {
  readonly node: GraphNode;
  readonly box: Rectangle;
  readonly lines: readonly NodeLine[];
}

interface NodeLine {
  readonly className: "muted" | "strong";
  readonly text: string;
}

export interface PlacedGroup {
  readonly title: string;
  readonly box: Rectangle;
  /** Baseline of the title. */
  readonly titleY: number;
}

export interface PlacedEdge {
  readonly edge: GraphEdge;
  readonly points: readonly Point[];
  /** Start of the label, or its middle if `isMiddle`. */
  readonly label?: { readonly at: Point; readonly isMiddle: boolean };
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly PlacedNode[];
  readonly groups: readonly PlacedGroup[];
  readonly edges: readonly PlacedEdge[];
}

const margin = 24;
const rowGap = 48;
const columnGap = 28;
/** Space for the label of the edge from a pool to its picker. */
const pickerGap = 140;
const lineHeight = 16;
const padding = 12;
const widest = 340;
const narrowest = 600;
/** Engines without a pool continue below if their row would be wider. */
const widestRow = 1_400;
const upperRows = ["client", "gateway", "route", "pool"] as const;
const rows = [...upperRows, "engine"] as const;
type Row = (typeof rows)[number];

/** A node with its size, before it has a position. */
interface Sized extends Omit<PlacedNode, "box"> {
  readonly width: number;
  readonly height: number;
}

function sized(node: GraphNode): Sized {
  const lines = [
    { className: "muted" as const, text: node.kind },
    { className: "strong" as const, text: node.name },
    ...node.facts.map((text) => ({ className: "muted" as const, text })),
  ]
    .filter(({ text }) => text !== "")
    .map(({ className, text }) => {
      const [size, isBold] = className === "strong" ? [12, true] : [11, false];
      return { className, text: shortened(text, widest - 2 * padding, size, isBold) };
    });
  const widths = lines.map(({ className, text }) =>
    className === "strong" ? textWidth(text, 12, true) : textWidth(text, 11),
  );
  return {
    node,
    lines,
    width: Math.max(110, ...widths) + 2 * padding,
    height: lines.length * lineHeight + padding,
  };
}

/** A column of the picture: the engines of a pool, and the nodes that lead to the pool. */
interface Column {
  readonly rows: Record<Row, Sized[]>;
  readonly pickers: Sized[];
}

/** Engines of one gang, or one engine without a gang. */
interface Unit {
  readonly items: readonly Sized[];
  readonly title: string | undefined;
  readonly width: number;
}

/** Places a graph: traffic runs from top to bottom, a column for each pool; objects without traffic are below. */
export function layOut(graph: Graph): Layout {
  const columns = columnsOf(graph);
  const tops = topsOf(columns);
  const placed = new Map<string, PlacedNode>();
  const gangs: PlacedGroup[] = [];
  const place = ({ width, height, node, lines }: Sized, x: number, y: number) => {
    placed.set(node.id, { node, lines, box: { x, y, width, height } });
  };

  let [left, lower, right] = [margin, 0, narrowest - margin];
  for (const column of columns.toSorted((a, b) => Number(isAlone(a)) - Number(isAlone(b)))) {
    const units = unitsOf(column.rows.engine, graph);
    const pickers = sum(column.pickers.map(({ width }) => width + pickerGap));
    const chain = Math.max(...upperRows.map((row) => widthOf(column.rows[row])));
    const engines = sum(units.map(({ width }) => width)) + columnGap * (units.length - 1);
    const width = Math.max(chain + pickers, engines);
    if (isAlone(column) && left > margin && left + width > widestRow) {
      left = margin;
      lower += Math.max(...column.rows.engine.map(({ height }) => height)) + rowGap + 2 * padding;
    }
    for (const row of upperRows) {
      let x = left + (width - pickers - widthOf(column.rows[row])) / 2;
      for (const item of column.rows[row]) {
        place(item, x, tops[row]);
        x += item.width + columnGap;
      }
    }
    let end = left + width;
    for (const picker of column.pickers) {
      place(picker, end - picker.width, tops.pool);
      end -= picker.width + pickerGap;
    }
    const below = left + (width - pickers - engines) / 2;
    let unitX = Math.max(left, below);
    for (const unit of units) {
      let x = unitX + (unit.width - widthOf(unit.items, gapIn(graph))) / 2;
      for (const [at, item] of unit.items.entries()) {
        place(item, x, tops.engine + lower);
        const next = unit.items[at + 1];
        x += item.width + (next === undefined ? 0 : gapIn(graph)(item, next));
      }
      if (unit.title !== undefined) gangs.push(frameOf(unit, unitX, tops.engine + lower));
      unitX += unit.width + columnGap;
    }
    right = Math.max(right, left + width);
    left += width + 2 * columnGap;
  }

  const width = right + margin;
  const bottom = Math.max(
    0,
    ...[...placed.values()].map(({ box }) => box.y + box.height),
    ...gangs.map(({ box }) => box.y + box.height),
  );
  const support = placeSupport(graph, bottom + 28, width);
  for (const each of support.nodes) placed.set(each.node.id, each);
  return {
    width,
    height: support.bottom + margin,
    nodes: [...placed.values()],
    groups: [...gangs, ...support.groups],
    edges: graph.edges.flatMap((edge) => placeEdge(edge, graph, placed)),
  };
}

/** Whether a column contains only engines, without an edge from the nodes above. */
const isAlone = (column: Column) =>
  column.pickers.length === 0 && upperRows.every((row) => column.rows[row].length === 0);

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** The top of each row; rows without nodes take no space. */
function topsOf(columns: readonly Column[]): Record<Row, number> {
  let y = margin;
  const tops = rows.map((row) => {
    const top = y;
    const items = columns.flatMap((column) => [
      ...column.rows[row],
      ...(row === "pool" ? column.pickers : []),
    ]);
    if (items.length > 0) y += Math.max(...items.map(({ height }) => height)) + rowGap;
    return [row, top] as const;
  });
  return Object.fromEntries(tops) as Record<Row, number>;
}

/** The space between neighbours, which depends on the label of the edge between them. */
const gapIn =
  ({ edges }: Graph) =>
  (from: Sized, to: Sized): number => {
    const edge = edges.find((each) => each.from === from.node.id && each.to === to.node.id);
    return edge === undefined ? columnGap : textWidth(edge.label, 11) + 30;
  };

function unitsOf(engines: readonly Sized[], graph: Graph): Unit[] {
  const byGang = Map.groupBy(
    engines,
    ({ node }) => graph.groups.find(({ nodes }) => nodes.includes(node.id)) ?? node,
  );
  return [...byGang].map(([gang, items]) => {
    const width = widthOf(items, gapIn(graph));
    if (!("title" in gang)) return { items, title: undefined, width };
    const title = shortened(gang.title, 420, 11);
    return { items, title, width: Math.max(width, textWidth(title, 11)) + 2 * padding };
  });
}

/** The frame around the engines of a gang, with its title below them. */
function frameOf({ items, title = "", width }: Unit, x: number, top: number): PlacedGroup {
  const bottom = top + Math.max(...items.map(({ height }) => height));
  const box = { x, y: top - padding, width, height: bottom - top + padding + 30 };
  return { title, box, titleY: bottom + 20 };
}

function widthOf(items: readonly Sized[], gap = (_from: Sized, _to: Sized) => columnGap): number {
  return items.reduce((sum, item, at) => {
    const next = items[at + 1];
    return sum + item.width + (next === undefined ? 0 : gap(item, next));
  }, 0);
}

/** Returns the columns: each node is in the column of the first pool that it leads to, or that leads to it. */
function columnsOf({ nodes, edges, groups }: Graph): Column[] {
  const column = (): Column => ({
    rows: { client: [], gateway: [], route: [], pool: [], engine: [] },
    pickers: [],
  });
  const columns = new Map<string, Column>();
  const layerOf = new Map(nodes.map(({ id, layer }) => [id, layer]));
  const gangOf = new Map(groups.flatMap((group) => group.nodes.map((id) => [id, group] as const)));
  const poolOf = new Map<string, string>();
  for (const { id, layer } of nodes) if (layer === "pool") poolOf.set(id, id);
  // Routes get the column of their pool, then gateways the column of their routes, then clients and pickers.
  for (let step = 0; step < 4; step++)
    for (const { from, to } of edges) {
      const isDown = layerOf.get(to) === "engine" || layerOf.get(to) === "picker";
      if (isDown && layerOf.get(from) !== "pool") continue;
      const [known, open] = isDown ? [from, to] : [to, from];
      const pool = poolOf.get(known);
      if (pool !== undefined && !poolOf.has(open)) poolOf.set(open, pool);
    }
  for (const node of nodes) {
    const { id, layer } = node;
    if (layer === "support") continue;
    const members = gangOf.get(id)?.nodes ?? [id];
    const key =
      members.map((member) => poolOf.get(member)).find((pool) => pool !== undefined) ??
      members[0] ??
      id;
    const its = columns.get(key) ?? column();
    columns.set(key, its);
    if (layer === "picker") its.pickers.push(sized(node));
    else its.rows[layer].push(sized(node));
  }
  for (const { rows: its } of columns.values()) {
    const order = (item: Sized) =>
      edges.filter(({ to, label }) => to === item.node.id && label === "KV cache").length;
    its.engine.sort((a, b) => groupIndex(a) - groupIndex(b) || order(a) - order(b));
  }
  return [...columns.values()];

  function groupIndex({ node }: Sized): number {
    const group = gangOf.get(node.id);
    return group === undefined ? groups.length : groups.indexOf(group);
  }
}

/** Places groups of objects without traffic below each other; their boxes fill lines. */
function placeSupport({ nodes, groups }: Graph, top: number, width: number) {
  const placed: PlacedNode[] = [];
  const frames: PlacedGroup[] = [];
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const inner = width - 2 * margin - 2 * padding;
  let y = top;
  for (const { title, nodes: members } of groups) {
    const items = members
      .flatMap((id) => byId.get(id) ?? [])
      .filter(isSupport)
      .map(sized);
    if (items.length === 0) continue;
    const titleY = y + 18;
    let [x, itemY, bottom] = [0, titleY + 10, 0];
    for (const { width: itemWidth, height, node, lines } of items) {
      if (x > 0 && x + itemWidth > inner) [x, itemY] = [0, bottom + 8];
      const box = { x: margin + padding + x, y: itemY, width: itemWidth, height };
      placed.push({ node, lines, box });
      x += itemWidth + 8;
      bottom = Math.max(bottom, itemY + height);
    }
    const box = { x: margin, y, width: width - 2 * margin, height: bottom + padding - y };
    frames.push({ title: shortened(title, inner, 11), box, titleY });
    y = bottom + padding + 12;
  }
  return { nodes: placed, groups: frames, bottom: frames.length === 0 ? top - 28 : y - 12 };
}

const isSupport = ({ layer }: GraphNode) => layer === "support";

/**
 * Places the line of an edge: down from row to row, sideways to a neighbour, or from a gateway across to its picker.
 */
function placeEdge(
  edge: GraphEdge,
  { edges }: Graph,
  placed: ReadonlyMap<string, PlacedNode>,
): PlacedEdge[] {
  const [source, target] = [placed.get(edge.from), placed.get(edge.to)];
  if (source === undefined || target === undefined) return [];
  const [from, to] = [source.box, target.box];
  const [fromX, toX] = [from.x + from.width / 2, to.x + to.width / 2];
  const labelled = (points: readonly Point[], at: Point, isMiddle = false): PlacedEdge[] => [
    edge.label === "" ? { edge, points } : { edge, points, label: { at, isMiddle } },
  ];
  if (from.y === to.y) {
    const others = [...placed.values()].filter(({ box }) => box.y === from.y);
    const isFree = others.every(({ box }) => box.x <= from.x || box.x >= to.x);
    const y = from.y + Math.min(from.height, to.height) / 2;
    const start = from.x + from.width;
    if (isFree && start < to.x)
      return labelled(
        [
          [start, y],
          [to.x, y],
        ],
        [(start + to.x) / 2, y - 6],
        true,
      );
    const below = Math.max(from.y + from.height, to.y + to.height) + 8;
    const points: Point[] = [
      [fromX, from.y + from.height],
      [fromX, below],
      [toX, below],
      [toX, to.y + to.height],
    ];
    return [{ edge, points }];
  }
  if (target.node.layer === "picker" && source.node.layer === "gateway") {
    const y = from.y + from.height / 2;
    const start = toX > fromX ? from.x + from.width : from.x;
    return labelled(
      [
        [start, y],
        [toX, y],
        [toX, to.y],
      ],
      [toX + 6, to.y - 12],
    );
  }
  const bottom = from.y + from.height;
  const turn = to.y - 26;
  const points: Point[] =
    Math.abs(fromX - toX) < 12
      ? [
          [toX, bottom],
          [toX, to.y],
        ]
      : [
          [fromX, bottom],
          [fromX, turn],
          [toX, turn],
          [toX, to.y],
        ];
  const labels = new Set(
    edges
      .filter((each) => each.from === edge.from && placed.get(each.to)?.box.y === to.y)
      .map(({ label }) => label),
  );
  return labelled(points, labels.size === 1 ? [fromX + 6, bottom + 14] : [toX + 6, to.y - 10]);
}
