import { readFile } from "node:fs/promises";
import { Misuse } from "../exit-code.ts";
import { readYamlDocuments } from "./yaml-documents.ts";

/** One object of the input and where it stands. */
export interface InputManifest {
  /** `a.yaml`, `a.yaml, document 2`, `a.yaml, items[3]`; empty where the input is this one object. */
  readonly place: string;
  /** Name of the file, or `standard input`. */
  readonly file: string;
  /** The line that its document starts in. */
  readonly line: number;
  readonly value: unknown;
}

/**
 * The objects of all files, in order: each document, and each item of a document that is a list. `-` is standard
 * input.
 */
export async function readManifests(
  files: readonly string[],
  readStdin: () => Promise<string>,
): Promise<InputManifest[]> {
  if (files.filter((file) => file === "-").length > 1) throw new Misuse("-f -: given twice");
  const texts = await Promise.all(
    files.map(async (file) => ({
      name: file === "-" ? "standard input" : file,
      text: file === "-" ? await readStdin() : await readText(file),
    })),
  );
  const manifests = texts.flatMap(({ name, text }) => manifestsOf(name, text));
  const [only, ...more] = manifests;
  return only !== undefined && more.length === 0 ? [{ ...only, place: "" }] : manifests;
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Misuse(`${file}: ${reasons[code ?? ""] ?? message}`);
  }
}

const reasons: Record<string, string> = {
  ENOENT: "no such file",
  EISDIR: "is a directory; name the files in it",
  EACCES: "may not be read",
};

function manifestsOf(file: string, text: string): InputManifest[] {
  const documents = readYamlDocuments(file, text);
  return documents.flatMap(({ value, line }, at) => {
    const place = documents.length === 1 ? file : `${file}, document ${at + 1}`;
    return (
      itemsOf(value)?.map((item, index) => ({
        ...{ place: `${place}, items[${index}]`, file, line },
        value: item,
      })) ?? [{ place, file, line, value }]
    );
  });
}

/** `kubectl get` returns several objects as the items of a List. */
function itemsOf(value: unknown): unknown[] | undefined {
  const { kind, items } = (value ?? {}) as { kind?: unknown; items?: unknown };
  return typeof kind === "string" && kind.endsWith("List") && Array.isArray(items)
    ? items
    : undefined;
}
