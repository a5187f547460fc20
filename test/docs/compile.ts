import { compilerProblems } from "../../testing/programs/compile.ts";
import type { DocumentedProgram } from "./programs.ts";

/** Returns the compiler's errors for programs as ES modules, one line per problem with its page and line. */
export function problemsOfPrograms(programs: readonly DocumentedProgram[]): string[] {
  const files = new Map<string, DocumentedProgram>(
    programs.map((program, at) => [`docs/program-${at}.mts`, program]),
  );
  const texts = new Map([...files].map(([name, { text }]) => [name, text] as const));
  const problems = compilerProblems(texts, {
    // Readers' compilers erase nothing by rule, and may find a snippet's constant unused.
    verbatimModuleSyntax: false,
    noUnusedLocals: false,
  });
  return problems.map(
    ({ file, line, text }) => `${files.get(file)?.placeOf(line) ?? file}: ${text}`,
  );
}
