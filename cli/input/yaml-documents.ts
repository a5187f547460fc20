import { LineCounter, parseAllDocuments, type ScalarTag, type Tags } from "yaml";
import { Misuse } from "../exit-code.ts";

/** A document of a file. */
export interface YamlDocument {
  /** The line that it starts in, from 1. */
  readonly line: number;
  readonly value: unknown;
}

/** The values of all documents, as `readYamlDocuments` reads them. */
export const parseYamlDocuments = (name: string, text: string): unknown[] =>
  readYamlDocuments(name, text).map(({ value }) => value);

/**
 * All documents of a YAML or JSON text, read as kubectl reads them: YAML 1.1, so that `0644` is a
 * file mode and `<<` merges, but without sexagesimal numbers and timestamps, which Kubernetes takes for texts.
 * Empty documents are left out.
 *
 * @param name of the file, for messages
 * @throws Misuse with line and column of every syntax error
 */
export function readYamlDocuments(name: string, text: string): YamlDocument[] {
  const lineCounter = new LineCounter();
  const documents = parseAllDocuments(text, {
    version: "1.1",
    customTags: kubernetesTags,
    prettyErrors: false,
    lineCounter,
  });
  const parsed = [...documents];
  const faults = parsed.flatMap(({ errors, warnings }) => [...errors, ...warnings]);
  if (faults.length > 0) {
    const lines = faults.map(({ message, pos }) => {
      const { line, col } = lineCounter.linePos(pos[0]);
      return `${name}:${line}:${col}: ${message}`;
    });
    throw new Misuse(lines.join("\n"));
  }
  try {
    return parsed
      .map((document) => ({
        line: lineCounter.linePos(document.contents?.range?.[0] ?? 0).line,
        value: document.toJS() as unknown,
      }))
      .filter(({ value }) => value !== null);
  } catch (error) {
    // Aliases that unfold into an enormous document.
    throw new Misuse(`${name}: ${(error as Error).message}`);
  }
}

const kubernetesTags = (tags: Tags): Tags => [
  octal,
  ...tags.filter(
    (tag) =>
      typeof tag === "string" ||
      !(tag.format === "TIME" || tag.tag === "tag:yaml.org,2002:timestamp"),
  ),
];

/** `0o644`, which is YAML 1.2's way, is read as well. */
const octal: ScalarTag = {
  tag: "tag:yaml.org,2002:int",
  default: true,
  test: /^0o[0-7]+$/,
  resolve: (text) => Number(text),
};
