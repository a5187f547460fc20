import { join } from "node:path";
import ts from "typescript";
import { repositoryRoot } from "../repository.ts";

/** A compiler error. */
export interface CompilerProblem {
  /** Path below the repository. */
  readonly file: string;
  /** Counts from 1. */
  readonly line: number;
  readonly text: string;
}

/**
 * Returns the compiler's errors for files with these texts, under the options of the repository. A given text replaces
 * its file, which need not exist; imported files are read but not checked.
 *
 * @param texts by path below the repository
 */
export function compilerProblems(
  texts: ReadonlyMap<string, string>,
  more: ts.CompilerOptions = {},
): CompilerProblem[] {
  const config = ts.readConfigFile(join(repositoryRoot, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, repositoryRoot);
  const host = ts.createCompilerHost({ ...options, ...more });
  const files = new Map([...texts].map(([path, text]) => [join(repositoryRoot, path), text]));
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (name) => files.has(name) || fileExists(name);
  host.readFile = (name) => files.get(name) ?? readFile(name);
  host.getSourceFile = (name, version, ...rest) => {
    const text = files.get(name);
    return text === undefined
      ? getSourceFile(name, version, ...rest)
      : ts.createSourceFile(name, text, version, true);
  };
  const program = ts.createProgram([...files.keys()], { ...options, ...more, noEmit: true }, host);
  const sources = [...files.keys()].map((name) => {
    const source = program.getSourceFile(name);
    if (source === undefined) throw new Error(`${name} was not compiled`);
    return source;
  });
  return [
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...sources.flatMap((source) => [
      ...program.getSyntacticDiagnostics(source),
      ...program.getSemanticDiagnostics(source),
    ]),
  ].map(({ file, start, messageText }) => ({
    file: file?.fileName.slice(repositoryRoot.length + 1) ?? "tsconfig.json",
    line: (file?.getLineAndCharacterOfPosition(start ?? 0).line ?? 0) + 1,
    text: ts.flattenDiagnosticMessageText(messageText, "\n"),
  }));
}
