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

/** Receives the problem of a file of a folder that cannot be read. The other files are read. */
export type OnBroken = (problem: LocatedProblem) => void;

/** One object of the input and where it stands. */
export interface InputManifest {
  /** `a.yaml`, `a.yaml, document 2`, `a.yaml, items[3]`. */
  readonly location: string;
  /** Name of the file, or `standard input`. */
  readonly file: string;
  /** The line that it starts in. */
  readonly line: number;
  /** Steps from its document to the object: none, or those to an item of a list. */
  readonly within: Path;
  /** False in a file that only its folder named: such files may hold something else. */
  readonly isNamed: boolean;
  readonly value: unknown;
  /** The line of a field, or of the nearest one above it that is there. */
  lineOf(path: Path): number;
}

/**
 * The objects of all files, in order: each document, and each item of a document that is a list.
 *
 * @param paths files, folders of YAML and JSON files, and `-` for standard input
 * @throws UsageError for what cannot be read, except for broken files of folders if there is `onBroken`
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

/** The objects of a file, or its problem if it is broken and only its folder is named. */
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

/** `kubectl get` returns several objects as the items of a List. */
function itemsOf(value: unknown): unknown[] | undefined {
  const { kind, items } = (value ?? {}) as { kind?: unknown; items?: unknown };
  return typeof kind === "string" && kind.endsWith("List") && Array.isArray(items)
    ? items
    : undefined;
}
