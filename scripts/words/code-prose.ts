import typescript, { type Node } from "typescript";
import type { Prose } from "./sentences.ts";

/** Areas of the prose of a file of code; undefined for prose that is not counted. */
export interface CodeAreas {
  readonly comments: string;
  /** Doc comments of exports. */
  readonly docs: string;
  /** Strings: errors, help, output. */
  readonly texts: string | undefined;
  /** Descriptions of arguments, from which the reference is generated. */
  readonly descriptions: string;
  /** Titles of tests. */
  readonly titles: string | undefined;
}

/** Returns the comments, strings and titles of a TypeScript file. */
export function codeProse(areas: CodeAreas, path: string, text: string): Prose[] {
  const source = typescript.createSourceFile(path, text, typescript.ScriptTarget.Latest, true);
  const lineAt = (offset: number) => source.getLineAndCharacterOfPosition(offset).line + 1;
  const prose: Prose[] = [];
  const literals: Node[] = [];
  /** Offsets of the doc comments of exports. */
  const documented = new Set<number>();

  function visit(node: Node, area: string | undefined): void {
    if (isExported(node))
      for (const { pos } of typescript.getJSDocCommentsAndTags(node)) documented.add(pos);
    const string = stringOf(node);
    if (string) {
      literals.push(...string.literals);
      if (area !== undefined && /[a-z]{2} [a-z]{2}/i.test(string.text))
        for (const text of string.text.split(/\n\s*\n/))
          prose.push({ area, line: lineAt(node.getStart(source)), text });
      for (const other of string.others) visit(other, area);
    } else if (typescript.isCallExpression(node) && isTitled(node)) {
      const [title, ...others] = node.arguments;
      visit(node.expression, area);
      if (title) visit(title, areas.titles);
      for (const other of others) visit(other, area);
    } else {
      if (typescript.isRegularExpressionLiteral(node)) literals.push(node);
      const inside = isDescription(node) ? area && areas.descriptions : area;
      typescript.forEachChild(node, (child) => visit(child, inside));
    }
  }
  visit(source, areas.texts);

  for (const { offset, words } of commentsIn(text, literals)) {
    const area = documented.has(offset) ? areas.docs : areas.comments;
    prose.push(...paragraphs(area, lineAt(offset), words));
  }
  return prose;
}

/** A string as users read it, with VALUE for expressions in it. */
interface Shown {
  readonly text: string;
  readonly literals: readonly Node[];
  readonly others: readonly Node[];
}

/** Returns the string value of an expression; undefined for other expressions. */
function stringOf(node: Node): Shown | undefined {
  if (typescript.isStringLiteralLike(node))
    return { text: node.text, literals: [node], others: [] };
  if (typescript.isTemplateExpression(node)) {
    const spans = node.templateSpans;
    return {
      text: node.head.text + spans.map(({ literal }) => `VALUE${literal.text}`).join(""),
      literals: [node.head, ...spans.map(({ literal }) => literal)],
      others: spans.map(({ expression }) => expression),
    };
  }
  if (
    typescript.isBinaryExpression(node) &&
    node.operatorToken.kind === typescript.SyntaxKind.PlusToken
  ) {
    const sides = [node.left, node.right].map((side) => [side, stringOf(side)] as const);
    if (sides.every(([, shown]) => shown === undefined)) return undefined;
    return {
      text: sides.map(([, shown]) => shown?.text ?? "VALUE").join(""),
      literals: sides.flatMap(([, shown]) => shown?.literals ?? []),
      others: sides.flatMap(([side, shown]) => shown?.others ?? [side]),
    };
  }
  return undefined;
}

/** Whether a call is a call of `it`, `test` or `describe` with a title as its first argument. */
const isTitled = (node: typescript.CallExpression): boolean => {
  let called: Node = node.expression;
  while (!typescript.isIdentifier(called)) {
    if (typescript.isPropertyAccessExpression(called)) called = called.expression;
    else if (typescript.isCallExpression(called)) called = called.expression;
    else return false;
  }
  return (
    ["it", "test", "describe"].includes(called.text) &&
    !(
      typescript.isPropertyAccessExpression(node.expression) && node.expression.name.text === "each"
    )
  );
};

/** Whether strings in a node describe an argument: `.describe("...")` of a schema, or a field `description`. */
const isDescription = (node: Node): boolean =>
  typescript.isCallExpression(node)
    ? typescript.isPropertyAccessExpression(node.expression) &&
      node.expression.name.text === "describe"
    : typescript.isPropertyAssignment(node) &&
      typescript.isIdentifier(node.name) &&
      node.name.text === "description";

/** Whether a node is exported, or is a member of an exported type. */
const isExported = (node: Node): boolean =>
  (typescript.canHaveModifiers(node) &&
    typescript
      .getModifiers(node)
      ?.some(({ kind }) => kind === typescript.SyntaxKind.ExportKeyword)) === true ||
  ((typescript.isTypeElement(node) || typescript.isClassElement(node)) && isExported(node.parent));

/** Yields the comments of a file, with consecutive lines as one comment, without their markers. */
function* commentsIn(text: string, literals: readonly Node[]) {
  let code = text;
  for (const node of literals) {
    const [from, to] = [node.getStart(), node.getEnd()];
    code = code.slice(0, from) + text.slice(from, to).replace(/[^\n]/g, "_") + code.slice(to);
  }
  for (const { 0: comment, index } of code.matchAll(
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*/g,
  ))
    yield {
      offset: index,
      words: comment.replace(/\*\/$/, "").replace(/^[ \t]*(?:\/\*\*?|\*|\/\/) ?/gm, ""),
    };
}

/** Splits a comment at empty lines, list items, tags and examples. */
function paragraphs(area: string, first: number, words: string): Prose[] {
  const prose: Prose[] = [];
  let open: { line: number; lines: string[] } | undefined;
  const close = () => {
    if (open) prose.push({ area, line: open.line, text: open.lines.join("\n") });
    open = undefined;
  };
  let isCode = false;
  for (const [at, line] of words.split("\n").entries()) {
    const isFence = line.startsWith("```");
    if (isFence) isCode = !isCode;
    if (isFence || isCode || line.trim() === "" || /^(biome-ignore|@ts-)/.test(line)) close();
    else {
      if (/^(@|[-*] )/.test(line)) close();
      open ??= { line: first + at, lines: [] };
      open.lines.push(line.replace(/^(@\w+ |[-*] )/, ""));
    }
  }
  close();
  return prose;
}
