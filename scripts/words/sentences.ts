/** A sentence of a comment, a text, a title or a page. */
export interface Sentence {
  readonly path: string;
  /** Line number, from 1. */
  readonly line: number;
  readonly area: string;
  readonly text: string;
}

/** A unit of prose: a paragraph, a list item, a cell of a table, a comment or a string. */
export interface Prose {
  readonly area: string;
  readonly line: number;
  /** May have several lines; code is between backticks. */
  readonly text: string;
}

/** Text with fewer words is a label or a value. */
const leastWords = 3;

/** Splits prose into sentences, each with the line on which it starts. */
export function sentencesIn(path: string, { area, line, text }: Prose): Sentence[] {
  const sentences: Sentence[] = [];
  for (const match of text.matchAll(
    /\S[\s\S]*?(?:[.!?]["')\]*_]*(?=\s+["'`([*_A-Z0-9])|$(?![\s\S]))/g,
  )) {
    const words = match[0].trim().replace(/\s+/g, " ");
    if (words.split(" ").filter((word) => /[a-z]{2}/i.test(word)).length >= leastWords) {
      const before = text.slice(0, match.index);
      sentences.push({ path, line: line + before.split("\n").length - 1, area, text: words });
    }
  }
  return sentences;
}

/** Returns a sentence without its code and the targets of its links, as the input for patterns. */
export const withoutCode = (sentence: string): string =>
  sentence
    .replace(/`[^`]*`/g, "CODE")
    .replace(/\]\([^)]*\)/g, "]")
    .replace(/^[[*_("']+/, "");
