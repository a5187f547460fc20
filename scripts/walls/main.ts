import { folderCycles, forbiddenImports } from "./imports.ts";
import { readsOutside } from "./reads-outside.ts";
import { engineComparisons, roomProblems } from "./rooms.ts";
import { importsOf, sourceFiles } from "./source-imports.ts";

/**
 * Fails if a file imports what `folders.ts` or `rooms.ts` does not allow, if folders import each other, if a file outside the
 * room of engines compares with an engine's name, or if a file reads outside the repository.
 */

const files = sourceFiles();
const imports = importsOf(files);
const problems = [
  ...forbiddenImports(imports),
  ...folderCycles(imports),
  ...roomProblems(imports),
  ...engineComparisons(files),
  ...[...files].flatMap(([path, text]) => readsOutside(path, text)),
];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
