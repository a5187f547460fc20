import { line, rectangle, svgFile, text, textWidth } from "./svg.ts";

export interface Bar {
  readonly name: string;
  readonly value: number;
  /** The value as it is printed next to the bar. */
  readonly label: string;
  /** Index of its colour in the palette. */
  readonly series: 0 | 1 | 2 | 3;
}

/** Bars with one scale. */
export interface Panel {
  readonly title: string;
  readonly bars: readonly Bar[];
  /** Value of a full bar. Default: the largest value of the panel. */
  readonly most?: number;
}

export interface BarPlot {
  readonly title: string;
  /** Unit and direction, such as `ms; shorter is better`. */
  readonly unit: string;
  readonly panels: readonly Panel[];
}

const margin = 24;
const width = 720;
const barHeight = 16;
const step = 21;

/** Returns horizontal bars with direct labels as an SVG file. The panels are stacked. */
export function formatBars({ title, unit, panels }: BarPlot): string {
  const bars = panels.flatMap((panel) => panel.bars);
  const left = margin + Math.max(...bars.map(({ name }) => textWidth(name, 11))) + 10;
  const right = width - margin - Math.max(...bars.map(({ label }) => textWidth(label, 11))) - 8;
  const elements = [text("head", margin, 34, title), text("muted", margin, 54, unit)];
  let y = 70;
  for (const panel of panels) {
    const most = panel.most ?? Math.max(...panel.bars.map(({ value }) => value));
    if (panel.title !== "") {
      y += 14;
      elements.push(text("strong", margin, y, panel.title));
    }
    y += 8;
    const top = y;
    for (const { name, value, label, series } of panel.bars) {
      const length = Math.max(1, ((right - left) * value) / most);
      elements.push(
        text("muted end", left - 8, y + 12, name),
        rectangle(`s${series}`, { x: left, y, width: length, height: barHeight }, 2),
        text("muted", left + length + 6, y + 12, label),
      );
      y += step;
    }
    elements.push(
      line("rule", [
        [left, top - 2],
        [left, y - step + barHeight + 2],
      ]),
    );
    y += 10;
  }
  const description = panels.map((panel) => {
    const values = panel.bars.map(({ name, label }) => `${name} ${label}`).join(", ");
    return panel.title === "" ? `${values}.` : `${panel.title}: ${values}.`;
  });
  return svgFile({
    title,
    width,
    height: y + 8,
    elements,
    description: `${unit}. ${description.join(" ")}`,
  });
}
