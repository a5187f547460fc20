import type * as pulumi from "@pulumi/pulumi";
import type { ComponentOptions } from "../child-options.ts";
import type { MultiClusterInferenceServiceArgs } from "../generated/args-of-other-languages.ts";

// MultiClusterInferenceService in a form that Pulumi's analyzer can describe for other languages: `provider` accepts any value,
// because a reference to the Kubernetes package would make every generator load that package.

/**
 * One service in several clusters. Each cluster gets an InferenceService whose pool is exported, and a route over its
 * own pool and the pools of the other clusters. The multi-cluster controller of the ClusterSet creates the imports.
 */
export declare class MultiClusterInferenceService extends pulumi.ComponentResource {
  /** Name of the service in every cluster. */
  readonly serviceName: pulumi.Output<string>;
  /** Namespace of the service in every cluster. */
  readonly namespace: pulumi.Output<string>;
  constructor(name: string, args: MultiClusterInferenceServiceArgs, opts?: ComponentOptions);
}
