import { escapeXml } from "../../sdk/xml-text.ts";

/** Parts of SVG files that need no script, work in light and in dark mode, and use the fonts of the system. */

export interface Drawing {
  readonly title: string;
  /** Description of the picture for readers who cannot see it. */
  readonly description: string;
  readonly width: number;
  readonly height: number;
  /** Elements, from back to front. */
  readonly elements: readonly string[];
}

/** Returns a whole SVG file. */
export function svgFile({ title, description, width, height, elements }: Drawing): string {
  const [w, h] = [Math.ceil(width), Math.ceil(height)];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${w} ${h}" width="${w}" height="${h}" role="img" aria-labelledby="title desc">
<title id="title">${escapeXml(title)}</title>
<desc id="desc">${escapeXml(description)}</desc>
<style>
${style}
</style>
<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto-start-reverse"><path class="tip" d="M0 0 8 4 0 8z"/></marker></defs>
<rect class="page" width="${w}" height="${h}"/>
${elements.join("\n")}
</svg>
`;
}

/** Colours of a mode. Texts have a contrast of at least 4.5 to 1 with their background. */
interface Palette {
  readonly page: string;
  readonly ink: string;
  readonly muted: string;
  readonly line: string;
  readonly box: string;
  readonly frame: string;
  /** Fills of bars. */
  readonly series: readonly [string, string, string, string];
}

const light: Palette = {
  page: "#ffffff",
  ink: "#1f2328",
  muted: "#59636e",
  line: "#8c959f",
  box: "#ffffff",
  frame: "#eef1f4",
  series: ["#0969da", "#8c959f", "#1a7f37", "#bf8700"],
};

const dark: Palette = {
  page: "#0d1117",
  ink: "#f0f6fc",
  muted: "#9198a1",
  line: "#6e7681",
  box: "#0d1117",
  frame: "#1c2128",
  series: ["#4493f8", "#6e7681", "#3fb950", "#d29922"],
};

/** Colours of series in light and in dark mode. */
export const seriesColours = { light: light.series, dark: dark.series };

/** Plain rules, because some viewers do not support custom properties. */
const coloursOf = ({ page, ink, muted, line, box, frame, series }: Palette) =>
  [
    `text { fill: ${ink}; }`,
    `.muted, .tip { fill: ${muted}; }`,
    `.page { fill: ${page}; }`,
    `.box { fill: ${box}; stroke: ${line}; }`,
    `.frame { fill: ${frame}; }`,
    `.edge { stroke: ${muted}; }`,
    `.rule, .dashed { stroke: ${line}; }`,
    `.halo { stroke: ${page}; }`,
    ...series.map((colour, at) => `.s${at} { fill: ${colour}; }`),
  ].join(" ");

const style = `text { font: 12px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
.strong { font-weight: 600; } .head { font-size: 15px; font-weight: 600; } .muted { font-size: 11px; }
.middle { text-anchor: middle; } .end { text-anchor: end; }
.edge { fill: none; stroke-width: 1.5; marker-end: url(#arrow); } .control, .dashed { stroke-dasharray: 5 4; } .dashed { fill: none; }
.halo { paint-order: stroke; stroke-width: 4px; stroke-linejoin: round; }
${coloursOf(light)}
@media (prefers-color-scheme: dark) { ${coloursOf(dark)} }`;

export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export const rectangle = (className: string, { x, y, width, height }: Rectangle, radius = 6) =>
  `<rect class="${className}" x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" rx="${radius}"/>`;

export const text = (className: string, x: number, y: number, content: string) =>
  `<text${className === "" ? "" : ` class="${className}"`} x="${round(x)}" y="${round(y)}">${escapeXml(content)}</text>`;

export type Point = readonly [x: number, y: number];

export const line = (className: string, points: readonly Point[]) =>
  `<path class="${className}" d="M${points.map(([x, y]) => `${round(x)} ${round(y)}`).join("L")}"/>`;

const round = (value: number) => Math.round(value * 10) / 10;

/**
 * Upper bound of the width of a string, in px: its width in DejaVu Sans, the widest font of the style, because the
 * reader's font is unknown.
 */
export function textWidth(content: string, size = 12, isBold = false): number {
  let em = 0;
  for (const character of content) em += emOf(character);
  return em * size * (isBold ? 1.1 : 1);
}

function emOf(character: string): number {
  if (/[\u1100-\u{10FFFF}]/u.test(character) && !/[\u2000-\u206F]/.test(character)) return 1.1;
  if (/[ijlt.,:;'|!()[\] fr/-]/.test(character)) return 0.42;
  if (/[mwMW@%]/.test(character)) return 1;
  return /[A-Z0-9_+=<>]/.test(character) ? 0.72 : 0.64;
}

/** Returns the text or, if it is wider than `width`, its beginning and end with an ellipsis between them. */
export function shortened(content: string, width: number, size = 12, isBold = false): string {
  if (textWidth(content, size, isBold) <= width) return content;
  const characters = [...content];
  let kept = characters.length - 1;
  const cut = () =>
    `${characters.slice(0, Math.ceil(kept / 2)).join("")}…${characters.slice(characters.length - Math.floor(kept / 2)).join("")}`;
  while (kept > 0 && textWidth(cut(), size, isBold) > width) kept--;
  return cut();
}
