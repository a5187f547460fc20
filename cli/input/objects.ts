import { isMap } from "../../kubernetes/values/records.ts";
import type { Problem } from "../../sdk/errors.ts";
import { type LocatedProblem, UsageError, ValidationError } from "../exit-code.ts";
import type { Terminal } from "../terminal.ts";
import { located } from "./located.ts";
import { type InputManifest, readManifests } from "./manifests.ts";

/** An object of the input that says what it is. */
export interface InputObject extends InputManifest {
  readonly value: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly metadata?: object;
  };
}

/**
 * The Kubernetes objects of files, folders and standard input, in order. A folder may hold files of other tools,
 * which are passed over and named on standard error; a file that is named itself may not.
 *
 * @throws UsageError where there is no object at all, unless `allowEmpty`
 * @throws ValidationError with every document in named files that is not an object
 */
export async function readObjects(
  paths: readonly string[],
  { readStdin, err }: Pick<Terminal, "readStdin" | "err">,
  { allowEmpty = false }: { readonly allowEmpty?: boolean } = {},
): Promise<InputObject[]> {
  const manifests = await readManifests(paths, readStdin);
  const problems: LocatedProblem[] = [];
  const objects = manifests.filter((manifest): manifest is InputObject => {
    const found = shapeOf(manifest);
    if (found.length === 0) return true;
    if (manifest.isNamed) problems.push(...found.map((problem) => located(manifest, problem)));
    else err.write(`${manifest.place}: not a Kubernetes object, skipped\n`);
    return false;
  });
  if (problems.length > 0) throw new ValidationError(problems);
  if (objects.length === 0 && !allowEmpty)
    throw new UsageError(`${paths.join(", ")}: no Kubernetes objects found`);
  return objects;
}

/** What keeps a value from being an object of any kind. */
function shapeOf({ value }: InputManifest): Problem[] {
  const problem = (path: Problem["path"], given: string, fix: string): Problem => ({
    code: "shape",
    path,
    given,
    fix,
    allowed: path.length === 0 ? "an object with apiVersion and kind" : "a string",
  });
  if (!isMap(value))
    return [problem([], `is ${nameOf(value)}, not an object`, "Write apiVersion, kind and more.")];
  return ["apiVersion", "kind"]
    .filter((field) => typeof value[field] !== "string")
    .map((field) =>
      value[field] === undefined
        ? problem([field], "is missing", "Add it.")
        : problem([field], `is ${nameOf(value[field])}`, "Correct it."),
    );
}

function nameOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  const names: Record<string, string> = { string: "a string", boolean: "true or false" };
  return names[typeof value] ?? (typeof value === "object" ? "an object" : `a ${typeof value}`);
}
