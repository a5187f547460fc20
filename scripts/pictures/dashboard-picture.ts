import { formatted } from "./grafana-units.ts";
import {
  line,
  type Point,
  type Rectangle,
  rectangle,
  seriesColours,
  shortened,
  svgFile,
  text,
  textWidth,
} from "./svg.ts";

/** A series of a plot, with pairs of a time in seconds and a value. */
export interface DrawnSeries {
  readonly name: string;
  readonly points: ReadonlyArray<readonly [time: number, value: number]>;
}

/** A panel with the results of its queries. The position is in units of Grafana's grid, 24 columns wide. */
export interface DrawnPanel {
  /** `row` is a heading, `stat` shows the last value of each series, and `timeseries` is a plot. */
  readonly type: string;
  readonly title: string;
  readonly position: {
    readonly x: number;
    readonly y: number;
    readonly w: number;
    readonly h: number;
  };
  readonly unit: string;
  /** Largest value of the axis. Default: by the data. */
  readonly max?: number | undefined;
  /** Value of a dashed line. */
  readonly limit?: number | undefined;
  readonly series: readonly DrawnSeries[];
}

export interface DrawnDashboard {
  readonly title: string;
  readonly description: string;
  readonly panels: readonly DrawnPanel[];
  /** Time of the first and the last point, in seconds, and the time between two points. */
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

const width = 960;
const margin = 16;
const column = (width - 2 * margin) / 24;
const rowHeight = 20;
const gap = 6;
const top = 64;

/** Returns a dashboard as an SVG file. Its layout is the one of Grafana. */
export function dashboardPicture(dashboard: DrawnDashboard): string {
  const { title, description, panels } = dashboard;
  const elements = [
    `<style>${lineStyles}</style>`,
    text("head", margin, 30, title),
    text("muted", margin, 50, description),
  ];
  let bottom = top;
  for (const panel of panels) {
    const { x, y, w, h } = panel.position;
    const area = {
      x: margin + column * x + gap / 2,
      y: top + rowHeight * y + gap / 2,
      width: column * w - gap,
      height: rowHeight * h - gap,
    };
    bottom = Math.max(bottom, area.y + area.height);
    if (panel.type === "row") elements.push(text("strong", area.x, area.y + 13, panel.title));
    else elements.push(...panelElements(panel, area, dashboard));
  }
  const names = panels.filter(({ type }) => type !== "row").map((panel) => panel.title);
  return svgFile({
    title,
    width,
    height: bottom + margin,
    elements,
    description: `${description} Panels: ${names.join(", ")}.`,
  });
}

function panelElements(panel: DrawnPanel, area: Rectangle, dashboard: DrawnDashboard): string[] {
  const heading = shortened(panel.title, area.width - 20, 12, true);
  return [
    rectangle("frame", area, 4),
    text("strong", area.x + 10, area.y + 18, heading),
    ...(panel.type === "stat" ? numbers(panel, area) : plot(panel, area, dashboard)),
  ];
}

function numbers({ series, unit }: DrawnPanel, { x, y, width: wide, height }: Rectangle): string[] {
  const step = (height - 30) / Math.max(1, series.length);
  return series.flatMap(({ name, points }, at) => {
    const value = points.at(-1)?.[1] ?? Number.NaN;
    const middle = y + 30 + step * (at + 0.5);
    return [
      text("", x + 10, middle, name),
      text("head end", x + wide - 14, middle, formatted(unit, value)),
    ];
  });
}

function plot(panel: DrawnPanel, area: Rectangle, { from, to, step }: DrawnDashboard): string[] {
  const { series, unit, limit } = panel;
  const highest = Math.max(0, ...series.flatMap(({ points }) => points.map(([, value]) => value)));
  const most = panel.max ?? roundedUp(Math.max(highest, limit ?? 0));
  const labels = [0, most / 2, most].map((value) => formatted(unit, value));
  const left = area.x + 16 + Math.max(...labels.map((label) => textWidth(label, 11)));
  const right = area.x + area.width - 14;
  const [high, low] = [area.y + 32, area.y + area.height - 42];
  const xOf = (time: number) => left + ((right - left) * (time - from)) / (to - from);
  const yOf = (value: number) => low - ((low - high) * value) / most;
  const grid = labels.flatMap((label, at) => {
    const y = low - ((low - high) * at) / 2;
    return [
      line("grid", [
        [left, y],
        [right, y],
      ]),
      text("muted end", left - 6, y + 4, label),
    ];
  });
  const lines = series.flatMap(({ points }, at) =>
    runsOf(points, step).map((run) =>
      line(
        `line${at % colours} ${at < colours ? "" : "dotted"}`.trim(),
        run.map(([time, value]): Point => [xOf(time), yOf(value)]),
      ),
    ),
  );
  const limits =
    limit === undefined
      ? []
      : [
          line("limit", [
            [left, yOf(limit)],
            [right, yOf(limit)],
          ]),
        ];
  return [
    ...grid,
    ...hoursBetween(from, to).map((time) => text("muted middle", xOf(time), low + 16, clock(time))),
    ...limits,
    ...lines,
    ...legend(series, area),
  ];
}

/** Returns the names of the series below a plot, shortened so that all have the same space. */
function legend(
  series: readonly DrawnSeries[],
  { x, y, width: wide, height }: Rectangle,
): string[] {
  const space = (wide - 20) / Math.max(1, series.length);
  let at = x + 10;
  return series.flatMap(({ name }, index) => {
    const shown = shortened(name, space - 26, 11);
    const left = at;
    at += textWidth(shown, 11) + 26;
    return [
      rectangle(`s${index % colours}`, { x: left, y: y + height - 17, width: 10, height: 4 }, 2),
      text("muted", left + 14, y + height - 11, shown),
    ];
  });
}

/** Splits a line at points that are missing or not a number. */
function runsOf(points: DrawnSeries["points"], step: number): DrawnSeries["points"][] {
  const runs: Array<Array<readonly [number, number]>> = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const point of points) {
    const [time, value] = point;
    if (!Number.isFinite(value)) continue;
    if (time - last > 1.5 * step) runs.push([]);
    runs.at(-1)?.push(point);
    last = time;
  }
  return runs.filter(({ length }) => length > 1);
}

/** Returns 1, 2, 2.5 or 5 times a power of ten that is at least as large. */
function roundedUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 2.5, 5, 10].find((each) => each * power >= 0.999 * value) ?? 10;
  return factor * power;
}

const hour = 3_600;

/** Returns the full hours between two times, without the first and the last. */
const hoursBetween = (from: number, to: number): number[] =>
  Array.from(
    { length: Math.max(0, Math.round((to - from) / hour) - 1) },
    (_, at) => from + hour * (at + 1),
  );

const clock = (time: number): string => new Date(1_000 * time).toISOString().slice(11, 16);

const colours = seriesColours.light.length;

const strokes = (palette: readonly string[]) =>
  palette.map((colour, at) => `.line${at} { stroke: ${colour}; }`).join(" ");

const lineStyles = [
  "[class^=line] { fill: none; stroke-width: 1.5; } .dotted { stroke-dasharray: 2 2; }",
  ".grid { stroke: #8c959f; stroke-opacity: 0.35; } .limit { stroke: #cf222e; stroke-dasharray: 5 4; }",
  strokes(seriesColours.light),
  `@media (prefers-color-scheme: dark) { ${strokes(seriesColours.dark)} }`,
].join("\n");
