import type { Path } from "../errors.ts";

/** Reason that a plugin rejects a pod, as the parts of a problem. The path is relative to the pod. */
export interface Refusal {
  readonly path: Path;
  /** Value at the path, as a verb phrase such as `asks for huawei.com/Ascend910`. */
  readonly given: string;
  readonly allowed: string;
  readonly fix: string;
}

/**
 * Reports whether an error is a PluginRefusal, even if it was created by another copy of this package: plugins may
 * bundle their own.
 */
export const isRefusal = (error: unknown): error is PluginRefusal =>
  error instanceof Error && error.name === "PluginRefusal" && "refusal" in error;

/**
 * Error that a hook throws to reject a pod. Any other error is reported as a fault of the plugin, and rejects the pod
 * as well.
 *
 * ```ts
 * throw new PluginRefusal({
 *   path: ["spec", "hostNetwork"],
 *   given: "is true",
 *   allowed: "a pod on the pod network",
 *   fix: "Remove hostNetwork.",
 * });
 * ```
 */
export class PluginRefusal extends Error {
  override readonly name = "PluginRefusal";
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(`${refusal.given}; allowed: ${refusal.allowed}`);
    this.refusal = refusal;
  }
}
