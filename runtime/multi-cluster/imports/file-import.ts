import { parseAllDocuments } from "yaml";
import { watchFile } from "../../epp/sources/watched-file.ts";
import type { ImportSource } from "./import-source.ts";
import { type ImportedClusters, readImport } from "./read-import.ts";

export interface FileImportOptions {
  readonly file: string;
  /** Name of the InferencePoolImport in the file. */
  readonly name: string;
  /** Called once for each problem of the file. The last valid clusters stay in use. */
  readonly onProblem: (key: string, message: string) => void;
}

/**
 * Reads the import from a YAML file, without Kubernetes, and again when the file changes. Ignores documents of other
 * kinds.
 */
export function fileImport({ file, name, onProblem }: FileImportOptions): ImportSource {
  let found: ImportedClusters | undefined;
  let stop = () => {};
  const report = (problem: string) => onProblem(file, problem);
  return {
    start(onChange) {
      stop = watchFile({
        file,
        onProblem: report,
        onText: (text) => {
          found = importOf(text, name, report);
          onChange(found.clusters ?? []);
        },
      });
    },
    synced: () => found !== undefined,
    async stop() {
      stop();
    },
  };
}

/** @throws Error with the first problem of the text */
function importOf(text: string, name: string, report: (problem: string) => void): ImportedClusters {
  const names: string[] = [];
  for (const document of parseAllDocuments(text)) {
    const [broken] = document.errors;
    if (broken !== undefined) throw broken;
    const object = document.toJS() as { kind?: unknown; metadata?: { name?: unknown } } | null;
    if (object?.kind !== "InferencePoolImport") continue;
    names.push(String(object.metadata?.name));
    if (object.metadata?.name !== name) continue;
    const found = readImport(object, (problem) =>
      report(`InferencePoolImport ${name}: ${problem}`),
    );
    if (found !== undefined) return found;
  }
  throw new Error(`no InferencePoolImport ${name}; found: ${names.join(", ") || "none"}`);
}
