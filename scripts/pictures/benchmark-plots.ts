import { type Bar, type BarPlot, formatBars } from "./bars.ts";
import { numberOf, rowOf, type TableRow, tableOf } from "./markdown-table.ts";

/** Returns the plots of docs/benchmarks.md by file name, from the page's tables. */
export const benchmarkPlots = (page: string): Map<string, string> =>
  new Map(Object.entries(plots).map(([name, plot]) => [`${name}.svg`, formatBars(plot(page))]));

const plots: Readonly<Record<string, (page: string) => BarPlot>> = {
  "cpu-per-request": cpuPerRequest,
  "big-pools": bigPools,
  "first-token": firstToken,
  fairness,
  "memory-of-models": memoryOfModels,
  scaling,
};

/** The colours of this project's picker, of other pickers, and of the oracle. */
const colour = { ours: 0, other: 1, oracle: 2 } as const;

/** Returns the bars of the columns in which a row has a number. */
function barsOf(
  row: TableRow,
  columns: Readonly<Record<string, keyof typeof colour>>,
  read: (cell: string) => string | undefined = (cell) => cell,
): Bar[] {
  return Object.entries(columns).flatMap(([name, series]) => {
    const label = read(row[name] ?? "") ?? "";
    const value = numberOf(label);
    return Number.isNaN(value) ? [] : [{ name, value, label, series: colour[series] }];
  });
}

/** Returns the second number of `mean / p95`. */
const p95 = (cell: string) => cell.split("/")[1]?.trim();

function cpuPerRequest(page: string): BarPlot {
  const rows = tableOf(page, "## Endpoint picker", ["case", "echo", "Go", "ours"]);
  const of = (name: string) => {
    const row = rowOf(rows, `\`${name}\``);
    return {
      title: (row.case ?? "").replaceAll("`", ""),
      bars: barsOf(row, { ours: "ours", Go: "other", echo: "oracle" }),
    };
  };
  return {
    title: "CPU of the endpoint picker per request",
    unit: "µs; shorter is better; each group has its own scale; echo is a server that decides nothing",
    panels: ["envoy", "pick", "chunks", "long"].map(of),
  };
}

function bigPools(page: string): BarPlot {
  const column = "pick p99 ms";
  const rows = tableOf(page, "### Big pools", ["pods", "picker", column]);
  const byPods = Map.groupBy(rows, ({ pods }) => pods);
  return {
    title: "Time to pick an endpoint in pools of 4 to 5,000 pods",
    unit: "p99 in ms at 50 requests/s; shorter is better; each group has its own scale",
    panels: [...byPods].map(([pods, its]) => ({
      title: `${pods} pods`,
      bars: its.toReversed().flatMap(({ picker = "", ...row }) =>
        barsOf(row, { [column]: picker === "ours" ? "ours" : "other" }).map((bar) => ({
          ...bar,
          name: picker,
        })),
      ),
    })),
  };
}

function firstToken(page: string): BarPlot {
  const columns = {
    planned: "ours",
    "least outstanding": "other",
    "Go picker": "other",
    "Go picker's best": "other",
    "cost oracle": "oracle",
  } as const;
  const rows = tableOf(page, "## Routing", Object.keys(columns));
  return {
    title: "Time to the first token by strategy",
    unit: "p95 in ms, median of three seeds; shorter is better; each group has its own scale",
    panels: ["nothing shared, 16 pods", "chats", "bursts", "documents", "a slow pod"].map(
      (trace) => ({
        title: trace,
        bars: barsOf(rowOf(rows, trace), columns, p95),
      }),
    ),
  };
}

function fairness(page: string): BarPlot {
  const column = "light tenant: first token p50 / p95 ms";
  const bars = tableOf(page, "## Routing", [column]).flatMap((row) => {
    const name = Object.values(row)[0] ?? "";
    const isOurs = name.startsWith("planned");
    return barsOf(row, { [column]: isOurs ? "ours" : "other" }, p95).map((bar) => ({
      ...bar,
      name,
    }));
  });
  return {
    title: "Light tenant beside a heavy one",
    unit: "p95 of the time to the first token in ms, at twice the load that the pool can serve; shorter is better",
    panels: [{ title: "", bars }],
  };
}

/** The requests of a day that start in time, and the GPU hours that they take. */
function scaling(page: string): BarPlot {
  const rows = tableOf(page, "## Scaling", ["contender", "in time %", "GPU hours"]);
  const panel = (column: string) => ({
    title: column,
    bars: rows.flatMap((row) => {
      const { contender = "" } = row;
      const isOurs = contender.startsWith("ours");
      const series = isOurs ? "ours" : contender.startsWith("fixed") ? "oracle" : "other";
      return barsOf(row, { [column]: series }).map((bar) => ({ ...bar, name: contender }));
    }),
  });
  return {
    title: "A day with an autoscaler",
    unit: "requests in time: longer is better; GPU hours: shorter is better; fixed is without an autoscaler",
    panels: ["in time %", "GPU hours"].map(panel),
  };
}

/** Reads `31 within 5 %; at most 3.4 % off` for 31 rows. */
function memoryOfModels(page: string): BarPlot {
  const rows = tableOf(page, "## Memory of models", ["rows", "within"]);
  return {
    title: "Computed memory against what engines printed",
    unit: "rows within a margin of the printed figure, of all rows; longer is better",
    panels: rows.map((row) => {
      const all = numberOf(row.rows);
      const bars = [...(row.within ?? "").matchAll(/(\d+) within (\d+) %/g)].map(
        ([, count = "", margin]): Bar => ({
          name: `within ${margin} %`,
          value: Number(count),
          label: `${count} of ${all}`,
          series: colour.ours,
        }),
      );
      return { title: Object.values(row)[0] ?? "", bars, most: all };
    }),
  };
}
