import { isMap } from "../../kubernetes/values/records.ts";
import type { Path, Problem } from "../../sdk/errors.ts";
import { writtenPath } from "../../sdk/spec/aliases.ts";
import type { LocatedProblem } from "../exit-code.ts";
import type { InputManifest } from "./manifests.ts";

/** Returns a problem of an object with its file, line and path: `a.yaml:12: spec.roles[0].replicas`. */
export function located(
  manifest: InputManifest,
  problem: Problem,
): LocatedProblem & { readonly line: number } {
  const path = writtenPath(manifest.value, pathInObject(manifest.value, problem.path));
  const line = manifest.lineOf(path);
  return {
    line,
    location: `${manifest.file}:${line}`,
    problem: { ...problem, path: [...manifest.within, ...path] },
  };
}

const topLevel = ["apiVersion", "kind", "metadata", "spec", "status"];

/** Paths of rules are relative to the spec. Paths to other fields of the object stay. */
function pathInObject(value: unknown, path: Path): Path {
  const [first] = path;
  if (first === undefined || topLevel.includes(String(first))) return path;
  return isMap(value) && Object.hasOwn(value, first) ? path : ["spec", ...path];
}
