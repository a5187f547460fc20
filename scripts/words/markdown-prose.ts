import type { Prose } from "./sentences.ts";

/** Returns the prose of a page, without fenced code and without tables that `npm run generate` writes from code. */
export function markdownProse(area: string, page: string): Prose[] {
  const prose: Prose[] = [];
  let open: { line: number; lines: string[] } | undefined;
  const close = () => {
    if (open) prose.push({ area, line: open.line, text: open.lines.join("\n") });
    open = undefined;
  };
  let fence: string | undefined;
  let isGenerated = false;
  for (const [at, line] of page.split("\n").entries()) {
    const mark = /^\s*(```+|~~~+)/.exec(line)?.[1];
    if (fence !== undefined || mark !== undefined) {
      close();
      if (fence === undefined) fence = mark;
      else if (mark !== undefined && mark.length >= fence.length) fence = undefined;
    } else if (/^<!-- .*(made by|begin)/.test(line)) {
      close();
      isGenerated = true;
    } else if (/^<!-- end/.test(line)) {
      isGenerated = false;
    } else if (isGenerated || line.trim() === "" || /^\s*(\||<!--)/.test(line)) {
      close();
      if (!isGenerated && /^\s*\|/.test(line)) prose.push(...cells(area, at + 1, line));
    } else {
      const [, marker = ""] = /^(\s*(?:[-*+] |\d+\. |#+ |> ?))/.exec(line) ?? [];
      if (marker !== "") close();
      open ??= { line: at + 1, lines: [] };
      open.lines.push(line.slice(marker.length));
      if (marker.trim().startsWith("#")) close();
    }
  }
  close();
  return prose;
}

const cells = (area: string, line: number, row: string): Prose[] =>
  /^[\s|:-]+$/.test(row)
    ? []
    : row
        .replaceAll("\\|", "/")
        .split("|")
        .map((cell) => ({ area, line, text: cell.trim() }));
