import { SpecError } from "../../sdk/errors.ts";
import { type LocatedProblem, Problems } from "../exit-code.ts";
import type { Terminal } from "../terminal.ts";
import { type InputManifest, readManifests } from "./manifests.ts";

/**
 * What the objects of all files are read as.
 *
 * @param read throws SpecError for an object that it does not take
 * @param kinds what it takes, for the error where there is nothing
 * @throws Problems with every problem of every document
 */
export async function readDocuments<T>(
  files: readonly string[],
  { readStdin }: Pick<Terminal, "readStdin">,
  read: (manifest: InputManifest) => T,
  kinds: string,
): Promise<T[]> {
  const manifests = await readManifests(files, readStdin);
  if (manifests.length === 0) throw new Problems([nothingIn(files, kinds)]);
  const problems: LocatedProblem[] = [];
  const documents = manifests.flatMap((manifest) => {
    try {
      return [read(manifest)];
    } catch (error) {
      if (!(error instanceof SpecError)) throw error;
      problems.push(...error.problems.map((problem) => ({ place: manifest.place, problem })));
      return [];
    }
  });
  if (problems.length > 0) throw new Problems(problems);
  return documents;
}

const nothingIn = (files: readonly string[], kinds: string): LocatedProblem => ({
  place: files.join(", "),
  problem: {
    code: "shape",
    path: [],
    given: "holds no object",
    allowed: `objects of kind ${kinds}`,
    fix: "Add one.",
  },
});
