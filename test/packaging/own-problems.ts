import { createRequire } from "node:module";
import { join, sep } from "node:path";
import type TypeScript from "typescript";

/**
 * What a compiler says of a project's program and of the package that it imports, declarations included. Those of Pulumi
 * and of Node.js are read and not checked, which takes most of a compiler's time: `tsc` does so in another row.
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
