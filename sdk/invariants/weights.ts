import type { Path } from "../errors.ts";
import type { Finding } from "../invariant.ts";

/** "If a weight is set for any targetModel, it must be set for all" (InferenceModelRewrite proposal, TargetModel). */
export function* partlyWeighted(
  targets: ReadonlyArray<{ readonly weight?: number | undefined }>,
  path: Path,
): Iterable<Finding> {
  if (!targets.some(({ weight }) => weight !== undefined)) return;
  for (const [at, { weight }] of targets.entries()) {
    if (weight !== undefined) continue;
    yield {
      path: [...path, at, "weight"],
      given: "is missing, while other targets of the list have one",
      allowed: "a weight for every target or for none",
      fix: "Give it a weight, or remove the others'.",
    };
  }
}
