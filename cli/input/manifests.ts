import type { Path } from "../../sdk/errors.ts";
import { type LocatedProblem, UnreadableInput, UsageError } from "../exit-code.ts";
import { readText } from "../read-text.ts";
import { filesOf } from "./files.ts";
import { readYamlDocuments } from "./yaml-documents.ts";

/** The part of a command's terminal that reading uses. */
export interface InputTerminal {
  readonly err: { write(text: string): void };
  readStdin(): Promise<string>;
}

/** Receives the problem of an unreadable file in a folder. The other files are still read. */
export type OnBroken = (problem: LocatedProblem) => void;

/** One object of the input and its location. */
export interface InputManifest {
  /** `a.yaml`, `a.yaml, document 2`, `a.yaml, items[3]`. */
  readonly location: string;
  /** Name of the file, or `standard input`. */
  readonly file: string;
  /** Line on which it starts. */
  readonly line: number;
  /** Path from its document to the object: empty, or the path of an item in a list. */
  readonly within: Path;
  /** False in a file of a given folder: such files may contain other data. */
  readonly isNamed: boolean;
  readonly value: unknown;
  /** Returns the line of a field, or of its nearest existing parent. */
  lineOf(path: Path): number;
}

/**
 * Returns the objects of all files, in order: each document, and each item of a document that is a list.
 *
 * @param paths files, folders of YAML and JSON files, and `-` for standard input
 * @throws UsageError for unreadable input, except for broken files of folders if `onBroken` is set
 */
export async function readManifests(
  paths: readonly string[],
  readStdin: () => Promise<string>,
  onBroken?: OnBroken,
): Promise<InputManifest[]> {
  if (paths.filter((path) => path === "-").length > 1) throw new UsageError("-: given twice");
  const files = (await Promise.all(paths.map(filesOf))).flat();
  const read = await Promise.all(
    files.map(async ({ path, isNamed }) =>
      path === "-"
        ? manifestsOf("standard input", await readStdin(), isNamed)
        : await manifestsOfFile(path, isNamed, onBroken),
    ),
  );
  return read.flatMap((each) => {
    if (Array.isArray(each)) return each;
    onBroken?.(each);
    return [];
  });
}

/** Returns the objects of a file, or its problem if it is broken and only its folder is given. */
async function manifestsOfFile(
  path: string,
  isNamed: boolean,
  onBroken: OnBroken | undefined,
): Promise<InputManifest[] | LocatedProblem> {
  try {
    return manifestsOf(path, await readText(path), isNamed);
  } catch (error) {
    if (isNamed || onBroken === undefined || !(error instanceof UnreadableInput)) throw error;
    const { line, reason } = error;
    return {
      location: `${path}:${line}`,
      problem: {
        code: "shape",
        path: [],
        given: reason,
        allowed: "YAML or JSON documents",
        fix: "Correct the file, or move it out of the folder.",
      },
    };
  }
}

function manifestsOf(file: string, text: string, isNamed: boolean): InputManifest[] {
  const documents = readYamlDocuments(file, text);
  return documents.flatMap(({ value, line, lineOf }, at) => {
    const location = documents.length === 1 ? file : `${file}, document ${at + 1}`;
    const items = itemsOf(value);
    if (items === undefined) return [{ location, file, line, within: [], isNamed, value, lineOf }];
    return items.map((item, index) => {
      const within = ["items", index];
      return {
        location: `${location}, items[${index}]`,
        file,
        line: lineOf(within),
        within,
        isNamed,
        value: item,
        lineOf: (path: Path) => lineOf([...within, ...path]),
      };
    });
  });
}

/** `kubectl get` prints several objects as the items of a List. */
function itemsOf(value: unknown): unknown[] | undefined {
  const { kind, items } = (value ?? {}) as { kind?: unknown; items?: unknown };
  return typeof kind === "string" && kind.endsWith("List") && Array.isArray(items)
    ? items
    : undefined;
}
