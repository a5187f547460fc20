import { createRequire } from "node:module";
import { join, sep } from "node:path";
import type TypeScript from "typescript";

/**
 * Returns the compiler's errors for a project's program and the package that it imports, declarations included.
 * Declarations of Pulumi and Node.js are read but not checked, because checking them takes most of the compiler's time:
 * `tsc` checks them in another row.
 *
 * @param compiler folder of the package `typescript`
 * @param folder that has the project's tsconfig.json
 */
export function ownProblems(compiler: string, folder: string): string[] {
  const ts = createRequire(import.meta.url)(compiler) as typeof TypeScript;
  const config = ts.readConfigFile(join(folder, "tsconfig.json"), ts.sys.readFile);
  const { options, fileNames, errors } = ts.parseJsonConfigFileContent(
    config.config,
    ts.sys,
    folder,
  );
  const program = ts.createProgram(fileNames, options);
  const own = program
    .getSourceFiles()
    .filter(({ fileName }) => fileNames.includes(fileName) || isOfPackage(fileName));
  const declarations = own.filter(({ fileName }) => isOfPackage(fileName));
  if (declarations.length === 0) throw new Error(`${folder} imports nothing of the package`);
  return [
    ...errors,
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...own.flatMap((file) => [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ]),
  ].map(
    ({ file, messageText }) =>
      `${file?.fileName ?? "tsconfig.json"}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
  );
}

const isOfPackage = (file: string) => file.split(sep).join("/").includes("/pulumi-inference/dist/");
