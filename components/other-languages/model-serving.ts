import type * as pulumi from "@pulumi/pulumi";
import type { ComponentOptions } from "../child-options.ts";
import type { ModelServingArgs } from "../generated/args-of-other-languages.ts";

/** ModelServing in a form that Pulumi's analyzer can describe for other languages: pod templates accept any fields. */
export declare class ModelServing extends pulumi.ComponentResource {
  readonly servingName: pulumi.Output<string>;
  readonly namespace: pulumi.Output<string>;
  constructor(name: string, args: ModelServingArgs, opts?: ComponentOptions);
}
