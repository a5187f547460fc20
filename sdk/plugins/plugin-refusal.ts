import type { Path } from "../errors.ts";

/** What a plugin does not accept of a pod, in the parts of a problem. The path is one of the pod. */
export interface Refusal {
  readonly path: Path;
  /** What stands there, as `asks for huawei.com/Ascend910`. */
  readonly given: string;
  readonly allowed: string;
  readonly fix: string;
}

/** Whether an error is a refusal, of whichever copy of this package: plugins may come bundled with one of their own. */
export const isRefusal = (error: unknown): error is PluginRefusal =>
  error instanceof Error && error.name === "PluginRefusal" && "refusal" in error;

/** Thrown by a hook that refuses a pod. Any other error is a fault of the plugin, and refuses the pod as well. */
export class PluginRefusal extends Error {
  override readonly name = "PluginRefusal";
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(`${refusal.given}; allowed: ${refusal.allowed}`);
    this.refusal = refusal;
  }
}
