import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import type { InferenceServiceInput } from "../sdk/index.ts";

/** The checkout that the tests run in. */
export const repositoryRoot = join(import.meta.dirname, "..");

/** Every document of a YAML file of the repository. */
export function readDocuments<T>(path: string): T[] {
  const text = readFileSync(join(repositoryRoot, path), "utf8");
  return parseAllDocuments(text).map((document) => document.toJS() as T);
}

/** A story of the InferenceService design, as written. */
export function readStory(number: number): InferenceServiceInput {
  const path = `test/fixtures/stories/story-${number}.yaml`;
  const [document] = readDocuments<InferenceServiceInput>(path);
  if (document === undefined) throw new Error(`${path} has no document`);
  const { metadata, spec } = document;
  return { metadata, spec };
}
