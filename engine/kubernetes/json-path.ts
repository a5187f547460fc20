import { isMap, type PropertyValue } from "../property-value.ts";

/** A JSONPath of RFC 9535, of which names, indices, wildcards and filters are known, as a function. */
export type JsonPath = (root: PropertyValue) => PropertyValue[];

type Select = (nodes: PropertyValue[]) => PropertyValue[];
type Test = (node: PropertyValue) => boolean;

/** Reads `.status.conditions[?(@.type=="Ready")].status`; a `$` in front may be left out. */
export function parseJsonPath(text: string): JsonPath {
  const reader = new Reader(text);
  reader.take("$");
  const path = readPath(reader);
  if (!reader.atEnd()) throw reader.error("a step .name, [index] or [?filter]");
  return (root) => path([root]);
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  atEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  take(token: string): boolean {
    if (!this.#text.startsWith(token, this.#at)) return false;
    this.#at += token.length;
    return true;
  }

  need(token: string): void {
    if (!this.take(token)) throw this.error(JSON.stringify(token));
  }

  match(pattern: RegExp): string | undefined {
    const sticky = new RegExp(pattern, `${pattern.flags}y`);
    sticky.lastIndex = this.#at;
    const found = sticky.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  space(): void {
    this.match(/\s*/);
  }

  error(expected: string): Error {
    return new Error(
      `JSONPath ${JSON.stringify(this.#text)}: expected ${expected} at position ${this.#at}`,
    );
  }
}

function readPath(reader: Reader): Select {
  const steps: Select[] = [];
  for (;;) {
    if (reader.take("..")) throw reader.error("no recursive descent (..), which is not supported");
    if (reader.take(".")) steps.push(readDotStep(reader));
    else if (reader.take("[")) steps.push(readBracketStep(reader));
    else return (nodes) => steps.reduce((current, step) => step(current), nodes);
  }
}

function readDotStep(reader: Reader): Select {
  if (reader.take("*")) return children;
  const name = reader.match(/[\p{L}_][\p{L}\p{N}_-]*/u);
  if (name === undefined) throw reader.error("a name");
  return member(name);
}

function readBracketStep(reader: Reader): Select {
  reader.space();
  const step = readSelector(reader);
  reader.space();
  reader.need("]");
  return step;
}

function readSelector(reader: Reader): Select {
  if (reader.take("*")) return children;
  if (reader.take("?")) {
    const test = readOr(reader);
    return (nodes) => children(nodes).filter(test);
  }
  const index = reader.match(/-?\d+/);
  if (index !== undefined) return item(Number(index));
  const name = readString(reader);
  if (name === undefined) throw reader.error("an index, a quoted name, * or a filter ?(...)");
  return member(name);
}

function readOr(reader: Reader): Test {
  const tests = [readAnd(reader)];
  while (reader.take("||")) tests.push(readAnd(reader));
  return (node) => tests.some((test) => test(node));
}

function readAnd(reader: Reader): Test {
  const tests = [readTest(reader)];
  while (reader.take("&&")) tests.push(readTest(reader));
  return (node) => tests.every((test) => test(node));
}

function readTest(reader: Reader): Test {
  reader.space();
  if (reader.take("(")) {
    const inner = readOr(reader);
    reader.need(")");
    reader.space();
    return inner;
  }
  const left = readOperand(reader);
  const operator = reader.match(/\s*(==|!=|<=|>=|<|>)\s*/)?.trim();
  if (operator === undefined) {
    reader.space();
    return (node) => left(node).length > 0;
  }
  const right = readOperand(reader);
  reader.space();
  return (node) => compare(left(node)[0], operator, right(node)[0]);
}

function readOperand(reader: Reader): (node: PropertyValue) => PropertyValue[] {
  if (reader.take("@")) {
    const path = readPath(reader);
    return (node) => path([node]);
  }
  const text = readString(reader);
  if (text !== undefined) return () => [text];
  const literal = reader.match(/-?\d+(\.\d+)?|true|false|null/);
  if (literal === undefined)
    throw reader.error("@.path, a quoted string, a number, true, false or null");
  return () => [JSON.parse(literal)];
}

function readString(reader: Reader): string | undefined {
  const quoted = reader.match(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/);
  return quoted?.slice(1, -1).replaceAll(/\\(.)/g, "$1");
}

function compare(left: PropertyValue, operator: string, right: PropertyValue): boolean {
  if (operator === "==") return left === right;
  if (operator === "!=") return left !== right;
  const comparable =
    (typeof left === "number" && typeof right === "number") ||
    (typeof left === "string" && typeof right === "string");
  if (!comparable) return false;
  if (operator === "<") return left < right;
  if (operator === ">") return left > right;
  return operator === "<=" ? left <= right : left >= right;
}

const children: Select = (nodes) =>
  nodes.flatMap((node) => (Array.isArray(node) ? node : isMap(node) ? Object.values(node) : []));

const member =
  (name: string): Select =>
  (nodes) =>
    nodes.flatMap((node) => (isMap(node) && Object.hasOwn(node, name) ? [node[name]] : []));

const item =
  (index: number): Select =>
  (nodes) =>
    nodes.flatMap((node) => {
      const found = Array.isArray(node) ? node.at(index) : undefined;
      return found === undefined ? [] : [found];
    });
