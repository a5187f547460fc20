import type { Step } from "./event.ts";
import type { OperationResult } from "./operation-result.ts";
import type { PropertyMap } from "./property-value.ts";

/**
 * Returns the result of a preview as `pulumi preview --json --show-sames` prints it, for programs that read that. It has
 * no outputs and no detailed differences.
 */
export function previewDigest({ steps, diagnostics, summary }: OperationResult): object {
  return {
    steps: steps.map(digestOf),
    diagnostics: diagnostics.map(({ urn, message, severity }) => ({ urn, message, severity })),
    changeSummary: summary,
  };
}

function digestOf({ operation, urn, type, custom, oldInputs, newInputs, ...step }: Step): object {
  const state = (inputs: PropertyMap | undefined) => inputs && { urn, custom, type, inputs };
  return {
    op: operation,
    urn,
    oldState: state(oldInputs),
    newState: state(newInputs),
    diffReasons: step.changedPaths ?? [],
    replaceReasons: step.replacePaths ?? [],
  };
}
