import type * as pulumi from "@pulumi/pulumi";
import type { ComponentOptions } from "../child-options.ts";
import type { LLMServerPoolArgs } from "../generated/args-of-other-languages.ts";

/** LLMServerPool in a form that Pulumi's analyzer can describe for other languages: each namespace is an object. */
export declare class LLMServerPool extends pulumi.ComponentResource {
  readonly poolName: pulumi.Output<string>;
  readonly namespace: pulumi.Output<string>;
  readonly readiness: pulumi.Output<string>;
  constructor(name: string, args: LLMServerPoolArgs, opts?: ComponentOptions);
}
