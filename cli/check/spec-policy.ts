import { formatProblem } from "../../sdk/errors.ts";
import type { PolicyInfo } from "../analyzer/analyzer-process.ts";
import type { LocatedProblem } from "../exit-code.ts";
import type { InputManifest } from "../input/manifests.ts";
import type { Finding } from "./outcome.ts";

/** What holds for documents of this project's kinds before there is a plan that packs could judge. */
export const specPolicy: PolicyInfo = {
  name: "spec-is-valid",
  pack: "pulumi-inference",
  level: "mandatory",
  title: "Specs are valid",
  description: "A spec that is not valid is refused, and nothing is made from it.",
  fix: "",
  url: "",
  parameters: {},
};

/** One finding for each problem of a document, at its own line. */
export function specFinding({ file }: InputManifest, { place, problem }: LocatedProblem): Finding {
  const line = Number(place.slice(place.lastIndexOf(":") + 1));
  return {
    policy: specPolicy,
    level: specPolicy.level,
    message: formatProblem(problem),
    isKnown: true,
    place: { name: place, ...(file !== "standard input" && { file, line }) },
  };
}
