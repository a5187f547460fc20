import type * as pulumi from "@pulumi/pulumi";
import type { ComponentOptions } from "../child-options.ts";
import type { ModelServingArgs } from "../generated/args-of-other-languages.ts";

// ModelServing in a form that Pulumi's analyzer can describe for other languages: pod templates accept any fields.

/**
 * Serving groups of Kthena's ModelServing, on LeaderWorkerSet and Volcano. Each serving group gets a PodGroup, and one
 * LeaderWorkerSet per role, with one group for each instance of the role. Kthena's controllers are not required.
 */
export declare class ModelServing extends pulumi.ComponentResource {
  /** Name of the serving. */
  readonly servingName: pulumi.Output<string>;
  /** Namespace of the objects. */
  readonly namespace: pulumi.Output<string>;
  constructor(name: string, args: ModelServingArgs, opts?: ComponentOptions);
}
