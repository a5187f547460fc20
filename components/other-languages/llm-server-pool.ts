import type * as pulumi from "@pulumi/pulumi";
import type { ComponentOptions } from "../child-options.ts";
import type { LLMServerPoolArgs } from "../generated/args-of-other-languages.ts";

// LLMServerPool in a form that Pulumi's analyzer can describe for other languages: each namespace is an object.

/**
 * Pool of model servers that LLMServices share, for the platform team that owns the pods. It creates an InferencePool,
 * its endpoint picker, and an object of kind LLMServerPool, which registrations refer to and which contains the status.
 *
 * The pool does not create the pods. It serves only models that an LLMService registers, unless
 * `allowUnregisteredModels` is true. The cluster needs the Gateway API with its inference extension, and the CRDs of
 * `InferenceCrds`.
 */
export declare class LLMServerPool extends pulumi.ComponentResource {
  /** Name of the pool, which registrations refer to. */
  readonly poolName: pulumi.Output<string>;
  /** Namespace of the pool. */
  readonly namespace: pulumi.Output<string>;
  /** Text that lists what `pulumi up` waits for, and the command that shows the state of other objects. */
  readonly readiness: pulumi.Output<string>;
  constructor(name: string, args: LLMServerPoolArgs, opts?: ComponentOptions);
}
