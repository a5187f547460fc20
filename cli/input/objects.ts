import { resolve } from "node:path";
import { isMap } from "../../kubernetes/values/records.ts";
import type { Problem } from "../../sdk/errors.ts";
import { type LocatedProblem, UsageError, ValidationError } from "../exit-code.ts";
import { changesIn, insteadOf, isKustomization, resourcesOf } from "./kustomization.ts";
import { located } from "./located.ts";
import {
  type InputManifest,
  type InputTerminal,
  type OnBroken,
  readManifests,
} from "./manifests.ts";

/** An object of the input with apiVersion and kind. */
export interface InputObject extends InputManifest {
  readonly value: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly metadata?: object;
  };
}

export interface ReadObjectsOptions {
  /** Whether input without any object is accepted. Default false. */
  readonly allowEmpty?: boolean;
  /** Default: a broken file of a folder is misuse. */
  readonly onBroken?: OnBroken;
}

/**
 * Returns the Kubernetes objects of files, folders and standard input, in order. Files of other tools in a folder are
 * skipped and listed on standard error; a file that is named itself must contain objects.
 *
 * @throws UsageError if there is no object at all, unless `allowEmpty` is set
 * @throws ValidationError with every document in named files that is not an object
 */
export async function readObjects(
  paths: readonly string[],
  { readStdin, err }: InputTerminal,
  { allowEmpty = false, onBroken }: ReadObjectsOptions = {},
): Promise<InputObject[]> {
  let isBroken = false;
  const read = (some: readonly string[]) =>
    readManifests(
      some,
      readStdin,
      onBroken &&
        ((problem) => {
          isBroken = true;
          onBroken(problem);
        }),
    );
  const manifests = await withListedFiles(await read(paths), read, err);
  const problems: LocatedProblem[] = [];
  const objects = manifests.filter((manifest): manifest is InputObject => {
    const found = shapeOf(manifest);
    if (found.length === 0) return true;
    if (manifest.isNamed) problems.push(...found.map((problem) => located(manifest, problem)));
    else err.write(`${manifest.location}: not a Kubernetes object, skipped\n`);
    return false;
  });
  if (problems.length > 0) throw new ValidationError(problems);
  if (objects.length === 0 && !allowEmpty && !isBroken)
    throw new UsageError(`${paths.join(", ")}: no Kubernetes objects found`);
  return objects;
}

/** Maximum number of kustomizations that may list one another in a row. */
const mostLevels = 20;

/**
 * Replaces kustomizations by the files that they list and that are not read yet.
 *
 * @throws UsageError for a named kustomization that changes objects
 */
async function withListedFiles(
  manifests: readonly InputManifest[],
  read: (paths: readonly string[]) => Promise<InputManifest[]>,
  err: InputTerminal["err"],
  level = 0,
): Promise<InputManifest[]> {
  const [lists, objects] = [true, false].map((is) =>
    manifests.filter((each) => isKustomization(each) === is),
  ) as [InputManifest[], InputManifest[]];
  if (lists.length === 0) return objects;
  if (level === mostLevels)
    throw new UsageError(`${lists[0]?.location}: more than ${mostLevels} kustomizations in a row`);
  for (const list of lists) {
    const changes = changesIn(list);
    if (changes.length === 0) continue;
    const what = `${list.location}: ${changes.join(", ")}: not applied. ${insteadOf(list.file)}`;
    if (list.isNamed) throw new UsageError(what);
    err.write(`${what}\n`);
  }
  const known = new Set(manifests.map(({ file }) => resolve(file)));
  const listed = new Set(lists.flatMap(resourcesOf).filter((path) => !known.has(path)));
  const further = (await read([...listed])).filter(({ file }) => !known.has(resolve(file)));
  return [...objects, ...(await withListedFiles(further, read, err, level + 1))];
}

/** Returns the reasons why a value is not an object of any kind. */
function shapeOf({ value }: InputManifest): Problem[] {
  if (!isMap(value))
    return [
      {
        code: "shape",
        path: [],
        given: `is ${nameOfValue(value)}`,
        allowed: "a Kubernetes object with apiVersion and kind",
        fix: "Correct the file, or leave it out.",
      },
    ];
  return Object.entries(identity)
    .filter(([field]) => typeof value[field] !== "string")
    .map(([field, allowed]) => ({
      code: "shape",
      path: [field],
      given: value[field] === undefined ? "is missing" : `is ${nameOfValue(value[field])}`,
      allowed,
      fix: value[field] === undefined ? `Add ${field}.` : "Write a string.",
    }));
}

/** The fields that every object has, with their schemas. */
const identity = {
  apiVersion: "an API version such as v1 or apps/v1",
  kind: "a kind such as Pod or InferenceService",
};

function nameOfValue(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  const names: Record<string, string> = { string: "a string", boolean: "true or false" };
  return names[typeof value] ?? (typeof value === "object" ? "an object" : `a ${typeof value}`);
}
