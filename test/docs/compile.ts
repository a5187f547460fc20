import { join } from "node:path";
import ts from "typescript";
import { repositoryRoot } from "../../testing/repository.ts";
import type { DocumentedProgram } from "./programs.ts";

/** What the compiler says of programs as ES modules, a line a problem with the page and line it stands on. */
export function compilerProblems(programs: readonly DocumentedProgram[]): string[] {
  const files = new Map(programs.map((program, at) => [fileName(at), program] as const));
  const options = compilerOptions();
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (name) => files.has(name) || fileExists(name);
  host.readFile = (name) => files.get(name)?.text ?? readFile(name);
  host.getSourceFile = (name, version, ...rest) => {
    const text = files.get(name)?.text;
    return text === undefined
      ? getSourceFile(name, version, ...rest)
      : ts.createSourceFile(name, text, version, true);
  };
  const built = ts.createProgram([...files.keys()], options, host);
  // What the programs import is checked by `npm run check`.
  const diagnostics = [
    ...built.getOptionsDiagnostics(),
    ...built.getGlobalDiagnostics(),
    ...[...files.keys()].flatMap((name) => {
      const file = built.getSourceFile(name);
      if (file === undefined) throw new Error(`${name} was not compiled`);
      return [...built.getSyntacticDiagnostics(file), ...built.getSemanticDiagnostics(file)];
    }),
  ];
  return diagnostics.map((diagnostic) => {
    const text = ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n");
    const { file, start } = diagnostic;
    const program = files.get(file?.fileName ?? "");
    if (program === undefined || file === undefined) return `${file?.fileName ?? "?"}: ${text}`;
    const { line } = file.getLineAndCharacterOfPosition(start ?? 0);
    return `${program.placeOf(line + 1)}: ${text}`;
  });
}

const fileName = (at: number) => join(repositoryRoot, "docs", `program-${at}.mts`);

function compilerOptions(): ts.CompilerOptions {
  const config = ts.readConfigFile(join(repositoryRoot, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, repositoryRoot);
  return {
    ...options,
    noEmit: true,
    // The engine has a package of its own, which programs name and this checkout does not install.
    paths: { "pulumi-local-engine": [join(repositoryRoot, "engine", "index.ts")] },
    // Readers' compilers erase nothing by rule, and may find a snippet's constant unused.
    verbatimModuleSyntax: false,
    noUnusedLocals: false,
  };
}
