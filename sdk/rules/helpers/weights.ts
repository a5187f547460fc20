import type { Path } from "../../errors.ts";
import type { Finding } from "../../invariant.ts";

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
      given: "is missing, but other targets of the list have a weight",
      allowed: "a weight for all targets or for none",
      fix: "Set this weight, or remove the weights of the other targets.",
    };
  }
}
