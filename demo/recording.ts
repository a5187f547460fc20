import { escapeXml } from "../sdk/xml-text.ts";

/** A recording of terminal output as an animated SVG: each line appears at its time. Without animation all lines are visible. */

export interface RecordedLine {
  readonly text: string;
  /** Milliseconds since the start of the program. */
  readonly at: number;
}

const columns = 84;
const character = 8;
const lineHeight = 18;
const [left, top] = [16, 56];

const style = `
  rect { fill: #0d1117 }
  text { fill: #c9d1d9; font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: pre }
  .command, .heading { fill: #ffffff; font-weight: bold }
  .added { fill: #7ee787 }
  .removed { fill: #ff7b72 }
  .line { animation: appear 0.15s both }
  @keyframes appear { from { opacity: 0 } to { opacity: 1 } }
  @media (prefers-reduced-motion) { .line { animation: none } }
`;

export function formatRecording(command: string, lines: readonly RecordedLine[]): string {
  const width = columns * character;
  const height = top + (lines.length + 1) * lineHeight;
  const dots = ["#ff5f56", "#ffbd2e", "#27c93f"].map(
    (colour, at) => `<circle cx="${20 + at * 20}" cy="18" r="6" fill="${colour}"/>`,
  );
  const rows = lines.map(({ text, at }, row) =>
    textElement(text, row + 1, `class="line${classOf(text)}" style="animation-delay:${at}ms"`),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>Output of ${escapeXml(command)}</title>
<style>${style}</style>
<rect width="${width}" height="${height}" rx="8"/>
${dots.join("\n")}
${textElement(`$ ${command}`, 0, 'class="command"')}
${rows.filter((row) => row !== "").join("\n")}
</svg>
`;
}

/** The length is fixed, so that columns stay aligned in every font. */
function textElement(text: string, row: number, attributes: string): string {
  if (text.trim() === "") return "";
  const indent = text.length - text.trimStart().length;
  const x = left + indent * character;
  const length = (text.length - indent) * character;
  const place = `x="${x}" y="${top + row * lineHeight}" textLength="${length}"`;
  return `<text ${place} ${attributes}>${escapeXml(text.trimStart())}</text>`;
}

function classOf(text: string): string {
  if (/^\S/.test(text)) return " heading";
  if (text.startsWith("  + ")) return " added";
  return text.startsWith("  - ") ? " removed" : "";
}

/** Returns the lines of a recording, without blank ones. */
export const textOfRecording = (svg: string): string[] =>
  [...svg.matchAll(/<text x="(\d+)".*class="line.*?>(.*)<\/text>/g)].map(
    ([, x, text = ""]) => " ".repeat((Number(x) - left) / character) + readXml(text),
  );

const readXml = (text: string) =>
  text
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
