import { formatProblem, type Problem } from "../../sdk/errors.ts";
import type { PolicyInfo } from "../analyzer/analyzer-process.ts";
import type { LocatedProblem } from "../exit-code.ts";
import type { InputManifest } from "../input/manifests.ts";
import type { Violation } from "./outcome.ts";

/** A warning about the spec of a document. */
export interface SpecAdvice {
  readonly manifest: InputManifest;
  readonly problem: Problem;
}

/** Policy for documents of this project's kinds that cannot be planned. */
export const specPolicy: PolicyInfo = {
  name: "spec-is-valid",
  pack: "pulumi-inference",
  level: "mandatory",
  title: "Specs are valid",
  description: "An invalid spec is refused, and nothing is created from it.",
  fix: "",
  url: "",
  parameters: {},
};

/** Policy for specs that are valid and have an effect that their author may not expect. */
export const advicePolicy: PolicyInfo = {
  ...specPolicy,
  name: "spec-works",
  level: "advisory",
  title: "Specs do what they promise",
  description:
    "The spec is valid, but a part of it does not have the effect that its author may expect.",
};

/** Policy for files in folders that cannot be read. */
export const filePolicy: PolicyInfo = {
  ...specPolicy,
  name: "file-is-readable",
  title: "Files are readable",
  description: "The objects of a file that cannot be read are not checked.",
};

/** Returns the finding of a file that cannot be read. */
export const fileFinding = (problem: LocatedProblem): Violation => findingOf(filePolicy, problem);

/** Returns the finding of a document's problem, at its line. */
export const specFinding = (problem: LocatedProblem): Violation => findingOf(specPolicy, problem);

/** Returns the finding of a warning about a document's spec. */
export function adviceFinding({ manifest, problem }: SpecAdvice): Violation {
  const path = problem.path[0] === "metadata" ? problem.path : ["spec", ...problem.path];
  const location = `${manifest.file}:${manifest.lineOf(path)}`;
  return findingOf(advicePolicy, { location, problem: { ...problem, path } });
}

function findingOf(policy: PolicyInfo, { location, problem }: LocatedProblem): Violation {
  const colon = location.lastIndexOf(":");
  const [file, line] = [location.slice(0, colon), Number(location.slice(colon + 1))];
  return {
    policy,
    level: policy.level,
    message: formatProblem(problem),
    isKnown: true,
    location: { name: location, ...(file !== "standard input" && { file, line }) },
  };
}
