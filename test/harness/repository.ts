import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import type { InferenceServiceInput } from "../../sdk/index.ts";

/** The checkout that the tests run in. */
export const repositoryRoot = join(import.meta.dirname, "..", "..");

/** Every document of a YAML file of the repository. */
export function readDocuments<T>(path: string): T[] {
  const text = readFileSync(join(repositoryRoot, path), "utf8");
  return parseAllDocuments(text).map((document) => document.toJS() as T);
}

/** A file of the design documents beside the checkout, or undefined on machines that do not have them. */
export function designDocument(name: string): string | undefined {
  const path = join(repositoryRoot, "..", "shared", "seeds", name);
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

/** A story of the InferenceService design, as written. */
export function readStory(number: number): InferenceServiceInput {
  const path = `test/fixtures/stories/story-${number}.yaml`;
  const [document] = readDocuments<InferenceServiceInput>(path);
  if (document === undefined) throw new Error(`${path} has no document`);
  const { metadata, spec } = document;
  return { metadata, spec };
}
