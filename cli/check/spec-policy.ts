import { formatProblem } from "../../sdk/errors.ts";
import type { PolicyInfo } from "../analyzer/analyzer-process.ts";
import type { LocatedProblem } from "../exit-code.ts";
import type { Finding } from "./outcome.ts";

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

/** Policy for files in folders that cannot be read. */
export const filePolicy: PolicyInfo = {
  ...specPolicy,
  name: "file-is-readable",
  title: "Files are readable",
  description: "The objects of a file that cannot be read are not checked.",
};

/** Returns the finding of a file that cannot be read. */
export const fileFinding = (problem: LocatedProblem): Finding => findingOf(filePolicy, problem);

/** Returns the finding of a document's problem, at its line. */
export const specFinding = (problem: LocatedProblem): Finding => findingOf(specPolicy, problem);

function findingOf(policy: PolicyInfo, { location, problem }: LocatedProblem): Finding {
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
