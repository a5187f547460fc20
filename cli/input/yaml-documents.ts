import { createContext, runInContext } from "node:vm";
import {
  type Document,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseAllDocuments,
  type ScalarTag,
  type Tags,
  visit,
} from "yaml";
import { boundBroken } from "../../kubernetes/values/bounded-value.ts";
import type { Path } from "../../sdk/errors.ts";
import { UnreadableInput } from "../exit-code.ts";
import { longestInput, readingMs, tooDeep, tooLong, tooMuch, tooSlow } from "../too-much.ts";

/** A document of a file. */
export interface YamlDocument {
  /** Line on which it starts, from 1. */
  readonly line: number;
  readonly value: unknown;
  /** Returns the line of the key or item at a path, or of its nearest existing parent. */
  lineOf(path: Path): number;
}

/** Returns the values of all documents that `readYamlDocuments` returns. */
export const parseYamlDocuments = (name: string, text: string): unknown[] =>
  readYamlDocuments(name, text).map(({ value }) => value);

/**
 * Parses all documents of a YAML or JSON text, as kubectl does: YAML 1.1, so that `0644` is a file mode and `<<`
 * merges, but without sexagesimal numbers and timestamps, which Kubernetes reads as strings. Empty documents are
 * skipped.
 *
 * @param name name of the file, for messages
 * @throws UnreadableInput with line and column of every syntax error, or for an input that is too large
 */
export function readYamlDocuments(name: string, text: string): YamlDocument[] {
  if (Buffer.byteLength(text) > longestInput) throw tooMuch(name, tooLong);
  try {
    return within(readingMs, () => readDocuments(name, text));
  } catch (error) {
    if (error instanceof RangeError) throw tooMuch(name, tooDeep);
    if ((error as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT")
      throw tooMuch(name, tooSlow);
    throw error;
  }
}

/** Runs a synchronous function, and aborts it with an error after the timeout. */
function within<T>(timeout: number, run: () => T): T {
  return runInContext("run()", createContext({ run }), { timeout }) as T;
}

function readDocuments(name: string, text: string): YamlDocument[] {
  const lineCounter = new LineCounter();
  const documents = parseAllDocuments(text, {
    version: "1.1",
    customTags: kubernetesTags,
    prettyErrors: false,
    lineCounter,
  });
  const parsed = [...documents];
  const faults = parsed.flatMap((document) => [
    ...document.errors,
    ...document.warnings,
    ...keysThatAreNoTexts(document),
  ]);
  if (faults.some(({ message }) => /call stack/.test(message))) throw tooMuch(name, tooDeep);
  if (faults.length > 0) {
    const lines = faults.map(({ message, pos }) => {
      const { line, col } = lineCounter.linePos(pos[0]);
      return `${name}:${line}:${col}: ${message}`;
    });
    const [first] = faults;
    throw new UnreadableInput(lines.join("\n"), {
      line: lineCounter.linePos(first?.pos[0] ?? 0).line,
      reason: `is not valid YAML (${first?.message})`,
    });
  }
  return parsed
    .map((document) => ({
      line: lineCounter.linePos(document.contents?.range?.[0] ?? 0).line,
      value: unfolded(name, document),
      lineOf: (path: Path) => lineCounter.linePos(offsetOf(document, path)).line,
    }))
    .filter(({ value }) => value !== null);
}

function unfolded(name: string, document: Document): unknown {
  let value: unknown;
  try {
    value = document.toJS();
  } catch (error) {
    if (error instanceof RangeError) throw error;
    // Aliases that unfold into an enormous document, or into itself.
    throw tooMuch(name, `has aliases that cannot be resolved: ${(error as Error).message}`);
  }
  const broken = boundBroken(value);
  if (broken !== undefined) throw tooMuch(name, broken);
  return value;
}

/** Maps and lists as keys, which kubectl refuses, such as `value: {{ NAME }}` of a template. */
function keysThatAreNoTexts(document: Document): { message: string; pos: [number] }[] {
  const faults: { message: string; pos: [number] }[] = [];
  visit(document, {
    Pair(_, { key }) {
      if (isCollection(key))
        faults.push({
          message: "A key is a map or a list; quote a placeholder such as {{ NAME }}",
          pos: [key.range?.[0] ?? 0],
        });
    },
  });
  return faults;
}

/** Returns the position of the key or item at a path, or of the last step that exists. */
function offsetOf(document: Document, path: Path): number {
  let node: unknown = document.contents;
  let offset = document.contents?.range?.[0] ?? 0;
  for (const step of path) {
    const key = isMap(node)
      ? node.items.find((pair) => isScalar(pair.key) && pair.key.value === step)?.key
      : undefined;
    const next = isMap(node) || isSeq(node) ? node.get(step, true) : undefined;
    const at = isNode(key) ? key : next;
    if (!isNode(at)) break;
    offset = at.range?.[0] ?? offset;
    node = next;
  }
  return offset;
}

const kubernetesTags = (tags: Tags): Tags => [
  octal,
  ...tags.filter(
    (tag) =>
      typeof tag === "string" ||
      !(tag.format === "TIME" || tag.tag === "tag:yaml.org,2002:timestamp"),
  ),
];

/** `0o644`, the syntax of YAML 1.2, is also accepted. */
const octal: ScalarTag = {
  tag: "tag:yaml.org,2002:int",
  default: true,
  test: /^0o[0-7]+$/,
  resolve: (text) => Number(text),
};
